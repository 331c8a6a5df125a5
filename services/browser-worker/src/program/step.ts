import {
  CLOSE_BY_ITSELF_MS,
  type ElementLocator,
  HoldfastError,
  type PageResult,
  type ProgramStep,
  type ProgramValue,
  type RequestOf,
  type StepDone,
  type stepOperations,
} from "@holdfast/protocol";
import type { Locator } from "playwright";
import type { ActBounds, PageContext } from "../operations/context.js";
import { navigate, navigateBack } from "../operations/navigate.js";
import { checkAsked } from "../rules/outcome.js";
import { within } from "../within.js";
import type { Run } from "../work/run.js";
import { find } from "./locators.js";

type Request = RequestOf<(typeof stepOperations)[number]>;
type Of<D extends ProgramStep["do"]> = Extract<ProgramStep, { do: D }>;
type OnElement = Of<"click" | "fill" | "select" | "check" | "upload" | "drag">;

/** Does one step of a program, in the tab that it names: the cursor goes along, as it does with whoever works in a tab. */
export function stepHandler(run: Run): (request: Request, context: PageContext) => Promise<PageResult> {
  return async ({ step, place }, context) => {
    const { project } = run;
    project.cursor = { profileId: context.tab.record.profileId, tabId: context.tab.id };
    if (step.do !== "dialog" && context.tab.dialog) {
      const { kind, message } = context.tab.dialog.seen;
      throw new HoldfastError("MCP_DIALOG_OPEN", `A ${kind} is open that the program does not know: "${message}".`);
    }
    checkAsked(run, step);
    const locator = await act(step, context);
    const opened = "opens" in step && step.opens !== undefined ? await openedBy(run, context) : null;
    const done: StepDone = { locator, opened };
    return { text: `Did step ${place}: ${step.do}.`, value: done };
  };
}

async function act(step: ProgramStep, context: PageContext): Promise<ElementLocator | null> {
  const { page, tab, signal, timeoutMs } = context;
  const bounds = { signal, timeout: timeoutMs };
  switch (step.do) {
    case "navigate":
      await navigate({ workspaceId: "", url: textOf(step.url) }, context);
      return null;
    case "back":
      await navigateBack({ workspaceId: "" }, context);
      return null;
    case "close_tab":
      // A popup that closes itself is let to do so: then its opener goes on as it did.
      await within(
        CLOSE_BY_ITSELF_MS,
        tab.waits.until(() => tab.closed, signal),
      );
      await tab.close();
      return null;
    case "wait_for":
      await page
        .getByText(step.text)
        .first()
        .waitFor({ ...bounds, state: "visible" });
      return null;
    case "dialog":
      await tab.waits.until(() => tab.dialog !== null, signal);
      await tab.answerDialog(step.accept, step.promptText === undefined ? undefined : textOf(step.promptText));
      return null;
    case "open_tab":
      throw new HoldfastError("MCP_INTERNAL", "A tab is opened by browser_tabs new.");
    case "key":
      return press(step, context, bounds);
    default: {
      const { element, locator } = await find(context, step.target);
      await onElement(step, element, { context, bounds });
      return locator;
    }
  }
}

async function press(step: Of<"key">, context: PageContext, bounds: ActBounds): Promise<ElementLocator | null> {
  if (!step.target) {
    await context.page.keyboard.press(step.key);
    return null;
  }
  const { element, locator } = await find(context, step.target);
  await element.press(step.key, bounds);
  return locator;
}

async function onElement(
  step: OnElement,
  element: Locator,
  { context, bounds }: { context: PageContext; bounds: ActBounds },
): Promise<void> {
  if (step.do === "fill") return element.fill(textOf(step.value), bounds);
  if (step.do === "select") return void (await element.selectOption(step.values.map(textOf), bounds));
  if (step.do === "check") return element.setChecked(step.checked, bounds);
  if (step.do === "upload") return element.setInputFiles(filesOf(step), bounds);
  if (step.do === "drag") {
    const to = await find(context, step.to);
    return element.dragTo(to.element, { ...bounds, sourcePosition: step.from, targetPosition: step.at });
  }
  const options = { ...bounds, button: step.button, modifiers: [...step.modifiers] };
  return step.double ? element.dblclick(options) : element.click(options);
}

/** @throws HoldfastError `MCP_PAGE_FAILED` for a file of which only the name is known */
function filesOf({ files }: Of<"upload">): { name: string; mimeType: string; buffer: Buffer }[] {
  return files.map(({ name, base64 }) => {
    if (base64 !== undefined)
      return { name, mimeType: "application/octet-stream", buffer: Buffer.from(base64, "base64") };
    const told = `The program knows only the name of the file ${name}: replace the step by one that holds it, or skip it.`;
    throw new HoldfastError("MCP_PAGE_FAILED", told, { file: name });
  });
}

/** The tab that this step opened. @throws HoldfastError `MCP_PAGE_FAILED` when it opened none */
async function openedBy({ project, work }: Run, { tab, signal }: PageContext): Promise<string> {
  await tab.openings.settled(signal);
  const mine = (): string | undefined => project.arrivals.ownOf(work.operationId)?.id ?? closedOf();
  // A popup that has closed itself by now was opened all the same.
  const closedOf = (): string | undefined =>
    project.arrivals.since(0).arrived.find(({ cause }) => cause === work.operationId)?.tab.id;
  await project.arrivals.waits
    .until(() => mine() !== undefined, signal)
    .catch((thrown: unknown) => {
      if (mine() === undefined) throw thrown;
    });
  const opened = mine();
  if (opened !== undefined) return opened;
  throw new HoldfastError("MCP_PAGE_FAILED", "The step opened no tab.", { tabId: tab.id });
}

/** Values were put in their places before the step was queued. */
function textOf(value: ProgramValue): string {
  if (typeof value === "string") return value;
  throw new HoldfastError("MCP_INTERNAL", "A step came without its values.");
}
