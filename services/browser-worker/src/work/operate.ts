import {
  type Answer,
  asFailure,
  HoldfastError,
  type Operation,
  operationNamed,
  type PageResult,
  pageOperations,
  parseRequest,
  stepOperations,
} from "@holdfast/protocol";
import { lineDiff } from "../core/text.js";
import { attachHandlers } from "../operations/attach.js";
import type { PageContext, TabsContext } from "../operations/context.js";
import { pageHandlers } from "../operations/page.js";
import { treeResult } from "../operations/read.js";
import { treeTold } from "../operations/secrets.js";
import { tabHandlers } from "../operations/tabs.js";
import { stepHandler } from "../program/step.js";
import { checkAsked, deniedOf, settleDenials, untilDenied } from "../rules/outcome.js";
import type { Tab } from "../tabs/tab.js";
import { beforehand, identityOf } from "./meanwhile.js";
import { actingTab, afterAction } from "./new-tab.js";
import { type Bounds, bounded, HELD_BY_DIALOG, perform } from "./perform.js";
import type { Run } from "./run.js";

type PageHandler = (request: never, context: PageContext) => Promise<PageResult> | PageResult;
type TabsHandler = (request: never, context: TabsContext) => unknown;

const ofTabs = { ...tabHandlers, ...attachHandlers };
const ofPages = new Set<string>([...pageOperations, ...stepOperations].map((op) => op.name));
/** Runs an operation and always gives an answer, with the tab that it is about. */
export async function operate(run: Run): Promise<Answer> {
  const { project, work } = run;
  await project.settled;
  const before = beforehand(project);
  let tab: Tab | null = null;
  const uses = [project.uses.begin()];
  try {
    const op = operationNamed(work.operation);
    const request = parseRequest(op, work.request);
    checkAsked(run, request);
    tab = await tabOf(run, op, request);
    if (tab) run.settled(tab);
    if (tab && ofPages.has(op.name)) tab = await actingTab(run, tab, request, timeoutOf(op, request));
    if (tab) uses.push(tab.uses.begin());
    const result = ofPages.has(op.name)
      ? await onPage(run, op, request, must(tab))
      : await onTabs(run, op, request, tab);
    if (op.closesTab && tab?.closed && project.cursor?.tabId === tab.id) project.cursor = null;
    project.lastOperationId = work.operationId;
    tab?.title.refresh();
    await project.fates();
    const denied = deniedOf(run, before, tab, undefined);
    if (denied) return { ok: false, failure: denied, identity: identityOf(run, before, tab, null) };
    return { ok: true, result, identity: identityOf(run, before, tab, result) };
  } catch (thrown) {
    await project.fates();
    return {
      ok: false,
      failure: deniedOf(run, before, tab, thrown) ?? asFailure(thrown),
      identity: identityOf(run, before, tab, null),
    };
  } finally {
    for (const end of uses) end();
  }
}

/** The tab that was named, else the cursor's; a new one where there is none and the operation opens one. */
async function tabOf(run: Run, op: Operation, request: Record<string, unknown>): Promise<Tab | null> {
  const { project, work } = run;
  // Work that began in another profile than the work before has no tab yet, and never acts in that one's.
  if (work.cursorless && project.cursor?.profileId !== work.profileId) project.cursor = null;
  if (op.ofProject) return null;
  const named = typeof work.request.profileId === "string" ? work.request.profileId : undefined;
  if (work.tabId === null && project.cursor === null && op.opensTab) {
    const tab = await bounded(run, timeoutOf(op, request), ({ signal }) => project.openTab(work.profileId, signal));
    project.cursor = { profileId: work.profileId, tabId: tab.id };
    return tab;
  }
  return project.find(work.tabId, named);
}

async function onPage(run: Run, op: Operation, request: Record<string, unknown>, tab: Tab): Promise<PageResult> {
  const isStep = op.name === "program_step";
  const handler: PageHandler = isStep ? stepHandler(run) : pageHandlers[op.name as keyof typeof pageHandlers];
  await tab.ending;
  if (tab.dialog && !op.despiteDialog) {
    const { kind, message } = tab.dialog.seen;
    throw new HoldfastError(
      "MCP_DIALOG_OPEN",
      `A ${kind} is open: "${message}". Answer it with browser_handle_dialog.`,
      { ...tab.dialog.seen },
    );
  }
  const act = async (bounds: Bounds): Promise<PageResult> => {
    if (op.closesTab) return handler(request as never, { ...bounds, tab, page: null as never, ...artifactsOf(run) });
    await run.project.wake(tab, { load: !op.opensTab, signal: bounds.signal });
    const context: PageContext = { ...bounds, tab, page: tab.page().page, ...artifactsOf(run) };
    const result = await handler(request as never, context);
    await afterAction(run, context);
    if (!op.readOnly) await settleDenials(run, context);
    return withSnapshot(context, request.snapshot, result);
  };
  const result = await perform(tab, run.stop, timeoutOf(op, request), untilDenied(run, tab, act));
  if (result !== HELD_BY_DIALOG) return result;
  tab.heldFor = run.work.taskId;
  return heldBy(tab);
}

function onTabs(run: Run, op: Operation, request: Record<string, unknown>, tab: Tab | null): Promise<unknown> {
  const handler: TabsHandler = ofTabs[op.name as keyof typeof ofTabs];
  const { project, work } = run;
  const of = { project, profileId: work.profileId, tab, viewedBy: work.viewedBy };
  const act = async (bounds: Bounds): Promise<unknown> => handler(request as never, { ...of, ...bounds });
  return bounded(run, timeoutOf(op, request), act);
}

async function withSnapshot(context: PageContext, wanted: unknown, result: PageResult): Promise<PageResult> {
  if (wanted !== "full" && wanted !== "diff") return result;
  const before = context.tab.lastSnapshot;
  const bounds = { signal: context.signal, timeout: context.timeoutMs };
  const tree = await treeTold(context.page, await context.page.ariaSnapshot({ mode: "ai", ...bounds }));
  context.tab.lastSnapshot = tree;
  return { ...result, ...treeResult(result.text, wanted === "diff" ? lineDiff(before, tree) : tree) };
}

function heldBy(tab: Tab): PageResult {
  const seen = tab.dialog?.seen;
  return {
    text: seen ? `A ${seen.kind} opened: "${seen.message}". Answer it with browser_handle_dialog.` : "A dialog opened.",
  };
}

function timeoutOf(op: Operation, request: Readonly<Record<string, unknown>>): number {
  const asked = typeof request.timeoutMs === "number" ? request.timeoutMs : null;
  const waits = typeof request.time === "number" ? request.time * 1_000 : 0;
  // Whoever waits for a time and names no other limit means that time.
  return asked ?? (op.timeoutMs ?? 0) + waits;
}

function artifactsOf({ artifacts, work }: Run): Pick<PageContext, "artifacts" | "artifactName"> {
  return { artifacts, artifactName: `${work.workspaceId}/${work.operationId}` };
}

function must(tab: Tab | null): Tab {
  if (tab) return tab;
  throw new HoldfastError("MCP_INTERNAL", "A page operation came without a tab.");
}
