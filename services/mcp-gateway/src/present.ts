import type { Answer, Failure, Identity, Operation, PageResult } from "@holdfast/protocol";

/** The whole of an answer for programs: what no client hands to its model, and every client keeps. */
export const RESULT_META = "holdfast/result";

export interface Presented {
  [key: string]: unknown;
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta: Record<string, unknown>;
}

export interface Presentation {
  /** The endpoint was asked for structured content of page tools too. */
  readonly structured: boolean;
  /** The picture that the result names, fetched. */
  readonly image: { readonly data: string; readonly mimeType: string } | null;
}

/** An answer as MCP shows it: each channel stands alone, since clients hand on different ones; nothing large is sent twice. */
export function present(op: Operation, answer: Answer, { structured, image }: Presentation): Presented {
  if (!answer.ok) return presentFailure(answer.failure, answer.identity);
  const _meta = { [RESULT_META]: answer.identity };
  if (op.answers === "state") {
    const state = answer.result as Record<string, unknown>;
    return { content: [{ type: "text", text: JSON.stringify(state) }], structuredContent: state, _meta };
  }
  const result = answer.result as PageResult;
  const content: Presented["content"] = [{ type: "text", text: pageText(result, answer.identity) }];
  if (image) content.push({ type: "image", ...image });
  return structured
    ? { content, structuredContent: { ...result, identity: answer.identity }, _meta }
    : { content, _meta };
}

/** A failure: its code first, then what to do next, with the details that it takes. */
export function presentFailure(failure: Failure, identity: Identity): Presented {
  const { code, message, details, retry } = failure;
  const shown = Object.keys(details).length > 0 ? `\n${JSON.stringify(details)}` : "";
  const text = `${code}: ${message}${shown}${happened(identity)}`;
  return {
    content: [{ type: "text", text }],
    isError: true,
    _meta: { [RESULT_META]: { ...identity, error: { code, message, details, retry } } },
  };
}

function pageText(result: PageResult, identity: Identity): string {
  const parts = [identityLine(identity), result.text, result.snapshot];
  return parts.filter((part) => part).join("\n") + happened(identity);
}

/** `shop-a/default/t3 http://… "Title"`: whose answer it is, before anything else. */
export function identityLine({ target }: Identity): string {
  return target
    ? `${target.workspaceId}/${target.profileId}/${target.tabId} ${target.url} ${JSON.stringify(target.title)}`
    : "";
}

/** What happened meanwhile, a line each. */
function happened(identity: Identity): string {
  const { newTabs, closedTabs, movedTo, refusedTabs = [], denied = [], dialogs, downloads, replayed } = identity;
  const lines = [
    ...newTabs.map(newTabLine),
    ...refusedTabs.map(({ url }) => `A new tab was closed at once, because the project has as many as it may: ${url}`),
    ...denied.map(({ url, rule }) => `Not loaded: ${url} (${rule}).`),
    ...closedTabs.map((tabId) => `Closed tab ${tabId}.`),
    ...(movedTo ? [`The cursor is at ${movedTo} now.`] : []),
    ...dialogs.map((dialog) => `Open ${dialog.kind} on ${dialog.tabId}: ${JSON.stringify(dialog.message)}`),
    ...downloads.map((download) => `Download ${download.fileName} from ${download.url}`),
    ...(replayed ? ["This is the stored outcome of that operationId; nothing was run again."] : []),
  ];
  return lines.length > 0 ? `\n${lines.join("\n")}` : "";
}

function newTabLine({ tabId, openerTabId, url, state, unclaimed }: Identity["newTabs"][number]): string {
  const from = openerTabId ? ` opened by ${openerTabId}` : "";
  return `New tab ${tabId}${from}, ${state}${unclaimed ? ", not caused by this" : ""}: ${url}`;
}
