import type { ElementLocator, ElementTarget, Program, ProgramStep, ProgramValue } from "@holdfast/protocol";

/** A program as a Playwright test. Parameters and secrets come from the environment; a secret has no default. */
export function exported({ title, params, secrets, steps }: Program, programId: string): string {
  const constants = [
    ...params.map(
      ({ name, default: value }) => `const ${name} = ${fromEnvironment(name, JSON.stringify(value ?? ""))};`,
    ),
    ...secrets.map(({ name }) => `const ${name} = ${fromEnvironment(name, `missing(${JSON.stringify(name)})`)};`),
  ];
  const helper =
    secrets.length > 0
      ? [
          "function missing(name: string): never {",
          '  throw new Error("Set " + name + " in the environment.");',
          "}",
          "",
        ]
      : [];
  const body = steps.flatMap(linesOf).map((line) => `  ${line}`);
  return [
    'import { test } from "@playwright/test";',
    "",
    ...helper,
    ...constants,
    ...(constants.length > 0 ? [""] : []),
    `test(${JSON.stringify(title || programId)}, async ({ context, page: main }) => {`,
    ...body,
    "});",
    "",
  ].join("\n");
}

function fromEnvironment(name: string, otherwise: string): string {
  return `process.env[${JSON.stringify(name)}] ?? ${otherwise}`;
}

function linesOf(step: ProgramStep): string[] {
  const note = step.note === undefined ? [] : [`// ${step.note.replaceAll(/\s+/g, " ")}`];
  const acted = actionOf(step);
  if (!("opens" in step) || step.opens === undefined || step.do === "open_tab") return [...note, ...acted];
  return [
    ...note,
    `const ${step.opens}Opens = ${step.tab}.waitForEvent("popup");`,
    ...acted,
    `const ${step.opens} = await ${step.opens}Opens;`,
  ];
}

function actionOf(step: ProgramStep): string[] {
  const { tab } = step;
  switch (step.do) {
    case "navigate":
      return [`await ${tab}.goto(${textOf(step.url)});`];
    case "back":
      return [`await ${tab}.goBack();`];
    case "open_tab":
      return [`const ${step.opens} = await context.newPage();`, `await ${step.opens}.goto(${textOf(step.url)});`];
    case "close_tab":
      return [`await ${tab}.close();`];
    case "wait_for":
      return [`await ${tab}.getByText(${JSON.stringify(step.text)}).first().waitFor();`];
    case "dialog":
      return [
        `// Before it opens: ${tab}.once("dialog", (dialog) => dialog.${step.accept ? `accept(${step.promptText === undefined ? "" : textOf(step.promptText)})` : "dismiss()"});`,
      ];
    case "key":
      return [
        step.target
          ? `await ${found(tab, step.target)}.press(${JSON.stringify(step.key)});`
          : `await ${tab}.keyboard.press(${JSON.stringify(step.key)});`,
      ];
    default:
      return [`await ${found(tab, step.target)}${onElement(step)};`];
  }
}

type OnElement = Extract<ProgramStep, { do: "click" | "fill" | "select" | "check" | "upload" | "drag" }>;

function onElement(step: OnElement): string {
  if (step.do === "fill") return `.fill(${textOf(step.value)})`;
  if (step.do === "select") return `.selectOption([${step.values.map(textOf).join(", ")}])`;
  if (step.do === "check") return `.setChecked(${step.checked})`;
  if (step.do === "upload") return `.setInputFiles([${step.files.map(({ name }) => JSON.stringify(name)).join(", ")}])`;
  if (step.do === "drag") {
    const options = JSON.stringify({ sourcePosition: step.from, targetPosition: step.at });
    return `.dragTo(${found(step.tab, step.to)}, ${options})`;
  }
  const { button, modifiers } = step;
  const options = { ...(button === "left" ? {} : { button }), ...(modifiers.length === 0 ? {} : { modifiers }) };
  const given = Object.keys(options).length === 0 ? "" : JSON.stringify(options);
  return `.${step.double ? "dblclick" : "click"}(${given})`;
}

/** The best locator; the others are Holdfast's to fall back on. */
function found(tab: string, { frame, locators }: ElementTarget): string {
  const frames = frame.map(({ name, index }) =>
    name === ""
      ? `.locator("iframe").nth(${index}).contentFrame()`
      : `.frameLocator(${JSON.stringify(`iframe[name=${JSON.stringify(name)}]`)})`,
  );
  const [best] = locators;
  return `${tab}${frames.join("")}${best ? locatorCall(best) : ""}`;
}

function locatorCall(locator: ElementLocator): string {
  const text = (value: string): string => JSON.stringify(value);
  switch (locator.by) {
    case "testId":
      return `.getByTestId(${text(locator.value)})`;
    case "role":
      return `.getByRole(${text(locator.role)}, { name: ${text(locator.name)}, exact: true })`;
    case "label":
      return `.getByLabel(${text(locator.value)}, { exact: true })`;
    case "placeholder":
      return `.getByPlaceholder(${text(locator.value)}, { exact: true })`;
    case "text":
      return `.getByText(${text(locator.value)}, { exact: true })`;
    case "css":
      return `.locator(${text(locator.value)})`;
  }
}

function textOf(value: ProgramValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  return "param" in value ? value.param : value.secret;
}
