import {
  CLOSE_BY_ITSELF_MS,
  type ElementLocator,
  type ElementTarget,
  MAIN_TAB,
  type Program,
  type ProgramStep,
  type ProgramValue,
} from "@holdfast/protocol";

/**
 * A program as a Playwright test. Parameters and secrets come from the environment; a secret has no default. Names are
 * those of the program, and stand behind `tabs`, `params` and `secrets`: any of them may be a word of the language.
 */
export function exported({ title, params, secrets, steps }: Program, programId: string): string {
  const defaults = params.map(({ name, default: value }) => [name, JSON.stringify(value ?? "")] as const);
  const required = secrets.map(({ name }) => [name, `missing(${JSON.stringify(name)})`] as const);
  const helper = [
    "function missing(name: string): never {",
    '  throw new Error("Set " + name + " in the environment.");',
    "}",
    "",
  ];
  const body = steps.flatMap((step, place) => linesOf(step, steps[place + 1], steps[place - 1]));
  return [
    'import { type Page, test } from "@playwright/test";',
    "",
    ...(secrets.length > 0 ? helper : []),
    ...fromEnvironment("params", defaults),
    ...fromEnvironment("secrets", required),
    `test(${JSON.stringify(title || programId)}, async ({ context, page }) => {`,
    ...[`const tabs: Record<string, Page> = { ${MAIN_TAB}: page };`, ...body].map((line) => `  ${line}`),
    "});",
    "",
  ].join("\n");
}

function fromEnvironment(object: string, values: readonly (readonly [string, string])[]): string[] {
  if (values.length === 0) return [];
  const lines = values.map(([name, otherwise]) => `  ${name}: process.env[${JSON.stringify(name)}] ?? ${otherwise},`);
  return [`const ${object} = {`, ...lines, "};", ""];
}

/** A dialog holds up what opens it, so what answers it is there before. */
function linesOf(step: ProgramStep, next: ProgramStep | undefined, before: ProgramStep | undefined): string[] {
  const note = step.note === undefined ? [] : [`// ${step.note.replaceAll(/\s+/g, " ")}`];
  if (step.do === "dialog") return before && mayAnswer(before, step) ? [] : [...note, answerTo(step)];
  const answered = next?.do === "dialog" && mayAnswer(step, next) ? [answerTo(next)] : [];
  return [...note, ...answered, ...actedIn(step)];
}

function mayAnswer(step: ProgramStep, dialog: ProgramStep): boolean {
  return step.do !== "dialog" && step.tab === dialog.tab;
}

function answerTo({ tab, accept, promptText }: Extract<ProgramStep, { do: "dialog" }>): string {
  const answer = accept ? `accept(${promptText === undefined ? "" : textOf(promptText)})` : "dismiss()";
  return `tabs.${tab}.once("dialog", (dialog) => void dialog.${answer});`;
}

function actedIn(step: Exclude<ProgramStep, { do: "dialog" }>): string[] {
  if (step.do === "open_tab") {
    const opened = `tabs.${step.opens}`;
    return [`${opened} = await context.newPage();`, `await ${opened}.goto(${textOf(step.url)});`];
  }
  const call = actionOf(step);
  if (!("opens" in step) || step.opens === undefined) return [`await ${call};`];
  return [`[tabs.${step.opens}] = await Promise.all([tabs.${step.tab}.waitForEvent("popup"), ${call}]);`];
}

/** A call that gives a promise. */
function actionOf(step: Exclude<ProgramStep, { do: "dialog" | "open_tab" }>): string {
  const tab = `tabs.${step.tab}`;
  switch (step.do) {
    case "navigate":
      return `${tab}.goto(${textOf(step.url)})`;
    case "back":
      return `${tab}.goBack()`;
    case "close_tab":
      return `${tab}.waitForEvent("close", { timeout: ${CLOSE_BY_ITSELF_MS} }).catch(() => ${tab}.close())`;
    case "wait_for":
      return `${tab}.getByText(${JSON.stringify(step.text)}).first().waitFor()`;
    case "key":
      return step.target
        ? `${found(tab, step.target)}.press(${JSON.stringify(step.key)})`
        : `${tab}.keyboard.press(${JSON.stringify(step.key)})`;
    default:
      return `${found(tab, step.target)}${onElement(step)}`;
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
    return `.dragTo(${found(`tabs.${step.tab}`, step.to)}, ${options})`;
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
  return "param" in value ? `params.${value.param}` : `secrets.${value.secret}`;
}
