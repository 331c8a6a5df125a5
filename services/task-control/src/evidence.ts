import { call } from "@holdfast/bus";
import { type Answer, type Failure, operationNamed, type PageResult, type RunWaiting } from "@holdfast/protocol";
import type { Run } from "./core/run.js";
import { EVIDENCE_CHARS_MAX, EVIDENCE_MS } from "./limits.js";
import type { Parts } from "./parts.js";

/** What a run waits for, with the page as it is: read at the cursor, which is where the step was. */
export async function evidenceOf(
  parts: Pick<Parts, "bus">,
  run: Run,
  told: { readonly why: RunWaiting["why"]; readonly failure: Failure },
): Promise<RunWaiting> {
  const { workspaceId, runId, step } = run;
  const read = (name: string): Promise<Answer> =>
    call(parts.bus, operationNamed(name), { workspaceId, timeoutMs: EVIDENCE_MS }, { caller: `run:${runId}` });
  const [tree, picture] = await Promise.all([read("browser_snapshot"), read("browser_take_screenshot")]);
  const { code, message, details } = told.failure;
  return {
    since: new Date().toISOString(),
    step,
    why: told.why,
    message,
    code,
    tried: details.tried ?? null,
    snapshot: pageOf(tree)?.snapshot?.slice(0, EVIDENCE_CHARS_MAX) ?? null,
    screenshot: pageOf(picture)?.image ?? null,
    url: tree.identity.target?.url ?? null,
    missing: [],
  };
}

function pageOf(answer: Answer): PageResult | null {
  return answer.ok ? (answer.result as PageResult) : null;
}

/** A value that is not there is no matter of the page. */
export function lacking(run: Run, missing: readonly string[]): RunWaiting {
  const message = `There is no value for ${missing.join(", ")}: give it with program_resume, decision "value".`;
  const nothing = { code: null, tried: null, snapshot: null, screenshot: null, url: null };
  const since = new Date().toISOString();
  return { since, step: run.step, why: "value_missing", message, ...nothing, missing: [...missing] };
}
