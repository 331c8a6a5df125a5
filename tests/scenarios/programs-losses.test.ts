import { until } from "@holdfast/testkit";
import { expect, test } from "vitest";
import { verifies } from "../promises.js";
import { run, runIs } from "../support/programs.js";
import { withStage } from "../support/recordings.js";
import { SOON_MS, told } from "../support/work.js";

const stage = withStage();
/** A lost process is started again, and what it had in hand is handed out again, in ms. */
const FAILOVER_MS = 90_000;

const press = { do: "click", target: { locators: [{ by: "css", value: "#press" }] } };
const asked = (path: string): number => stage.pages().requests.filter(({ url }) => url === stage.url(path)).length;

async function began(name: string, steps: readonly object[]): Promise<string> {
  told(await stage.client().call("project_open", { workspaceId: name }));
  told(await stage.client().call("program_save", { workspaceId: name, programId: name, program: { steps } }));
  return (await run(stage.client(), { workspaceId: name, programId: name, runId: `run-${name}` })).runId;
}

function kill(service: string): void {
  const child = stage.stack().stack.children.find((one) => one.service === service);
  process.kill(child?.pid ?? 0, "SIGKILL");
}

test(verifies("programs.worker-lost"), { timeout: 2 * FAILOVER_MS }, async () => {
  const slow = "/slow?s=60&of=lost";
  const steps = [
    { do: "navigate", url: stage.url(slow), timeoutMs: 60_000 },
    { do: "navigate", url: stage.url("/flow/button?label=lost") },
    press,
  ];
  const runId = await began("lost", steps);
  await until(() => asked(slow) === 1, { deadlineMs: SOON_MS, why: "the step is under way" });
  kill("browser-worker");
  const look = async () => {
    const answer = await stage.client().call("program_status", { workspaceId: "lost", runId });
    const now = told<{ state: string; waiting: { why: string; step: number } | null }>(answer);
    return now.waiting === null ? null : now;
  };
  const standing = await until(look, { deadlineMs: FAILOVER_MS, why: "the run stands" });
  expect(standing).toMatchObject({ state: "needs_check", waiting: { why: "outcome_unknown", step: 0 } });
  const check = { workspaceId: "lost", taskId: runId, operationId: `${runId}_0`, verdict: "done" };
  told(await stage.client().call("task_resolve", check));
  const ended = await runIs(stage.client(), "lost", runId, ["finished", "waiting_for_decision"]);
  expect([ended.state, ended.results.map(({ outcome }) => outcome)]).toEqual([
    "finished",
    ["unknown", "skipped", "done", "done"],
  ]);
  expect(asked(slow)).toBe(1);
});

test(verifies("programs.taken-over"), { timeout: 2 * FAILOVER_MS }, async () => {
  const slow = "/slow?s=4&of=taken";
  const steps = [
    { do: "navigate", url: stage.url(slow) },
    { do: "navigate", url: stage.url("/flow/button?label=taken") },
    press,
  ];
  const runId = await began("taken", steps);
  await until(() => asked(slow) === 1, { deadlineMs: SOON_MS, why: "the step is under way" });
  kill("task-control");
  const ended = async (): Promise<boolean> => {
    const answer = await stage.client().call("program_status", { workspaceId: "taken", runId });
    return answer.structured?.state === "finished";
  };
  await until(ended, { deadlineMs: FAILOVER_MS, why: "the run has finished" });
  const pressed = (): number =>
    stage.pages().requests.filter(({ url }) => url.endsWith("/flow/note?pressed=taken")).length;
  await until(() => pressed() === 1, { deadlineMs: SOON_MS, why: "it was pressed" });
  expect(asked(slow)).toBe(1);
});
