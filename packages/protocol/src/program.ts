import { z } from "zod";
import { elementTarget, modifier, mouseButton } from "./recorded.js";

/** Steps of one program, and its parameters: a program is read by people, and stored as one value. */
export const PROGRAM_STEPS_MAX = 1_000;
export const PROGRAM_PARAMS_MAX = 100;
/** Bytes of a program as JSON: it travels in one message, with room for the envelope. */
export const PROGRAM_BYTES_MAX = 524_288;
/** ms a step may take unless it says otherwise, and at the most. */
export const STEP_TIMEOUT_MS = 15_000;
export const STEP_TIMEOUT_MS_MAX = 600_000;
/** Characters of one value that is typed. */
export const VALUE_CHARS_MAX = 100_000;
/** ms a popup gets to close itself before a program closes it: sign-ins take a moment to say that they are done. */
export const CLOSE_BY_ITSELF_MS = 5_000;
/** The tab in which a program begins. */
export const MAIN_TAB = "main";

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, "must be a letter, then letters, digits and _")
  .meta({ description: "A letter, then up to 63 letters, digits and _." });

/** A text, a parameter by its name, or a secret by its name. */
export const programValue = z.union([
  z.string().max(VALUE_CHARS_MAX),
  z.strictObject({ param: name }),
  z.strictObject({ secret: name }),
]);
export type ProgramValue = z.infer<typeof programValue>;

const common = {
  tab: name.default(MAIN_TAB).describe("The tab, by the program's own name for it."),
  note: z.string().max(500).optional().describe("What the step is for."),
  timeoutMs: z.int().min(1).max(STEP_TIMEOUT_MS_MAX).optional(),
};
/** Of steps that may open a tab, or close their own. */
const opening = {
  opens: name.optional().describe("It opens a tab, which the program calls by this name."),
  closes: z.boolean().optional().describe("Its own tab may close by it."),
};
const target = elementTarget;

export const programStep = z.discriminatedUnion("do", [
  z.strictObject({ ...common, do: z.literal("navigate"), url: programValue }),
  z.strictObject({ ...common, do: z.literal("back") }),
  z.strictObject({
    ...common,
    ...opening,
    do: z.literal("click"),
    target,
    double: z.boolean().default(false),
    button: mouseButton.default("left"),
    modifiers: z.array(modifier).max(4).default([]),
  }),
  z.strictObject({ ...common, do: z.literal("fill"), target, value: programValue }),
  z.strictObject({ ...common, ...opening, do: z.literal("select"), target, values: z.array(programValue).max(1_000) }),
  z.strictObject({ ...common, ...opening, do: z.literal("check"), target, checked: z.boolean() }),
  z.strictObject({
    ...common,
    do: z.literal("upload"),
    target,
    files: z
      .array(
        z.strictObject({
          name: z.string().max(500),
          base64: z.string().max(PROGRAM_BYTES_MAX).optional().describe("What is in it; a recording knows names only."),
        }),
      )
      .max(20),
  }),
  z.strictObject({
    ...common,
    ...opening,
    do: z.literal("key"),
    target: target.optional(),
    key: z.string().min(1).max(64),
  }),
  z.strictObject({
    ...common,
    do: z.literal("drag"),
    target,
    to: elementTarget,
    from: z.strictObject({ x: z.number(), y: z.number() }),
    at: z.strictObject({ x: z.number(), y: z.number() }),
  }),
  z.strictObject({
    ...common,
    do: z.literal("dialog"),
    accept: z.boolean(),
    promptText: programValue.optional(),
  }),
  z.strictObject({ ...common, do: z.literal("open_tab"), opens: name, url: programValue }),
  z.strictObject({ ...common, do: z.literal("close_tab") }),
  z.strictObject({ ...common, do: z.literal("wait_for"), text: z.string().min(1).max(1_000) }),
]);
export type ProgramStep = z.infer<typeof programStep>;

const param = z.strictObject({ name, description: z.string().max(500).default(""), default: z.string().optional() });
const secret = z.strictObject({ name, description: z.string().max(500).default("") });

/** A program: steps as data, that run without a model. */
export const program = z
  .strictObject({
    title: z.string().max(200).default(""),
    params: z.array(param).max(PROGRAM_PARAMS_MAX).default([]),
    secrets: z.array(secret).max(PROGRAM_PARAMS_MAX).default([]),
    steps: z.array(programStep).min(1).max(PROGRAM_STEPS_MAX),
  })
  .superRefine((value, context) => {
    for (const problem of problemsOf(value)) context.addIssue({ code: "custom", message: problem });
  });
export type Program = z.infer<typeof program>;

interface Named {
  readonly params: readonly { readonly name: string }[];
  readonly secrets: readonly { readonly name: string }[];
  readonly steps: readonly ProgramStep[];
}

/** What the shape alone does not say: names are declared, once, before they are used. */
function problemsOf({ params, secrets, steps }: Named): string[] {
  const declared = { param: new Set(params.map((one) => one.name)), secret: new Set(secrets.map((one) => one.name)) };
  const problems: string[] = [];
  if (declared.param.size < params.length) problems.push("a parameter is declared twice");
  if (declared.secret.size < secrets.length) problems.push("a secret is declared twice");
  const tabs = new Set([MAIN_TAB]);
  steps.forEach((step, index) => {
    if (!tabs.has(step.tab)) problems.push(`step ${index}: no step before it opens the tab ${step.tab}`);
    if ("opens" in step && step.opens !== undefined) tabs.add(step.opens);
    for (const value of valuesIn(step)) {
      if (typeof value === "string") continue;
      const [kind, called] = "param" in value ? (["param", value.param] as const) : (["secret", value.secret] as const);
      if (!declared[kind].has(called)) problems.push(`step ${index}: the ${kind} ${called} is not declared`);
    }
  });
  return problems;
}

/** The values of a step that may be parameters or secrets. */
export function valuesIn(step: ProgramStep): ProgramValue[] {
  if (step.do === "navigate" || step.do === "open_tab") return [step.url];
  if (step.do === "fill") return [step.value];
  if (step.do === "select") return [...step.values];
  if (step.do === "dialog") return step.promptText === undefined ? [] : [step.promptText];
  return [];
}

/** What one step came to, as the worker tells it. */
export const stepDone = z.object({
  /** The locator that found the element; null for a step without one. */
  locator: z.unknown().nullable(),
  /** The tab that it opened. */
  opened: z.string().nullable(),
});
export type StepDone = z.infer<typeof stepDone>;
