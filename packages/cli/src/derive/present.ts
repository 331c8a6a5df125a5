import type { Answer, Failure, Identity, Operation, Target } from "@holdfast/protocol";
import pc from "picocolors";
import { asTable } from "./tables.js";

/** An answer for a person: the identity first when it is about a page, then what was done, then what happened meanwhile. */
export function present(op: Operation, answer: Extract<Answer, { ok: true }>): string {
  const { result, identity } = answer;
  if (op.answers === "state") return asTable(result) ?? JSON.stringify(result, null, 2);
  const first = identity.target === null ? [] : [pc.bold(identityLine(identity.target))];
  return [...first, ...pageLines(result), ...meanwhile(identity)].join("\n");
}

/** `shop-a/default/t3 http://... "Title"` */
export function identityLine(target: Target): string {
  return `${target.workspaceId}/${target.profileId}/${target.tabId} ${target.url} ${JSON.stringify(target.title)}`;
}

/** A failure for a person: the code, what happened, what to do, and the details that say more than the message. */
export function presentFailure(failure: Failure): string {
  const details = Object.keys(failure.details).length > 0 ? [JSON.stringify(failure.details)] : [];
  return [`${pc.red(failure.code)}: ${failure.message}`, ADVICE[failure.retry], ...details].join("\n");
}

const ADVICE: Record<Failure["retry"], string> = {
  never: "Asking again changes nothing: the request itself has to change.",
  after_change: "Do what the message says, then ask again.",
  later: "The same request can pass later.",
  same_operation: "Ask again with the same --operation-id: nothing runs twice.",
};

function pageLines(result: unknown): string[] {
  if (result === null || typeof result !== "object") return [String(result)];
  const page: Record<string, unknown> = { ...result };
  const image = page.image === undefined ? [] : [`image: ${JSON.stringify(page.image)}`];
  const value = page.value === undefined || page.text ? [] : [JSON.stringify(page.value, null, 2)];
  return [textOf(page.text), textOf(page.snapshot)].filter(Boolean).concat(value, image);
}

function meanwhile(identity: Identity): string[] {
  return [
    ...identity.newTabs.map(
      (tab) => `new tab ${tab.tabId}${tab.openerTabId ? ` from ${tab.openerTabId}` : ""}: ${tab.url}`,
    ),
    ...identity.closedTabs.map((tabId) => `tab ${tabId} closed`),
    ...identity.dialogs.map((one) => `${one.kind} on ${one.tabId}${one.open ? ", still open" : ""}: ${one.message}`),
    ...identity.downloads.map((one) => `download ${one.fileName} from ${one.url}`),
    ...(identity.replayed ? ["this is the stored outcome of an earlier call"] : []),
  ];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
