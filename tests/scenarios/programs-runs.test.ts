import { until } from "@holdfast/testkit";
import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { run, runIs, runOf, workshopOn } from "../support/programs.js";
import { withStage } from "../support/recordings.js";
import { SOON_MS, told } from "../support/work.js";

const stage = withStage();
const { click, goTo, logSince, noted, save, begin } = workshopOn(stage);

describe("a run", () => {
  test(verifies("programs.holds"), async () => {
    await save("holds", { steps: [goTo("/flow/button?id=there"), { ...click("#nowhere"), timeoutMs: 500 }] });
    const { runId } = await begin("holds");
    const client = stage.client();
    const refused = await client.call("browser_click", { workspaceId: "holds", target: "#there" });
    expect(refused.code).toBe("MCP_PROJECT_BUSY");
    expect(refused.meta.error?.details).toMatchObject({ holder: { kind: "program", id: runId } });
    expect((await client.call("browser_snapshot", { workspaceId: "holds" })).ok).toBe(true);
    expect((await client.call("task_start", { workspaceId: "holds" })).code).toBe("MCP_PROJECT_BUSY");
    expect((await client.call("system_quit")).code).toBe("MCP_BACKGROUND_PROJECT_RUNNING");
    told(await client.call("program_stop", { workspaceId: "holds", profileId: "default", runId }));
  });

  test(verifies("programs.stop"), async () => {
    await save("stop", { steps: [goTo("/slow?s=30")] });
    const client = stage.client();
    told(await client.call("project_open", { workspaceId: "stop" }));
    const { runId } = await run(client, { workspaceId: "stop", programId: "stop", from: "library" });
    await until(() => logSince(0).some((line) => line.endsWith("/slow?s=30")), {
      deadlineMs: SOON_MS,
      why: "it loads",
    });
    const stopped = told<{ requested: boolean; interrupted: object | null }>(
      await client.call("program_stop", { workspaceId: "stop", profileId: "default", runId }),
    );
    expect(stopped).toMatchObject({ requested: true, interrupted: { operationId: `${runId}_0` } });
    expect((await runIs(client, "stop", runId, ["stopped"])).state).toBe("stopped");
    const late = await client.call("program_resume", { workspaceId: "stop", runId, decision: "retry" });
    expect(late.code).toBe("MCP_TASK_ENDED");
  });

  test(verifies("programs.stop", "while it waits, by task_stop too"), async () => {
    await save("stopwait", { steps: [{ ...click("#nowhere"), timeoutMs: 500 }] });
    const waiting = await begin("stopwait");
    expect(waiting.state).toBe("waiting_for_decision");
    const named = { workspaceId: "stopwait", profileId: "default" };
    const stopped = told<{ state: string }>(
      await stage.client().call("task_stop", { ...named, taskId: waiting.runId }),
    );
    expect(stopped.state).toBe("stopped");
    expect((await runOf(stage.client(), "stopwait", waiting.runId)).state).toBe("stopped");
    const again = told<{ state: string }>(
      await stage.client().call("program_stop", { ...named, runId: waiting.runId }),
    );
    expect(again.state).toBe("already_ended");
  });

  test(verifies("programs.stop-wrong"), async () => {
    await save("wrong", { steps: [{ ...click("#nowhere"), timeoutMs: 500 }] });
    const { runId } = await begin("wrong");
    const stop = async (args: object) =>
      (await stage.client().call("program_stop", { workspaceId: "wrong", profileId: "default", runId, ...args })).code;
    expect(await stop({ runId: "another" })).toBe("MCP_TASK_MISMATCH");
    expect(await stop({ profileId: "second" })).toBe("MCP_TASK_MISMATCH");
    expect(await stop({ workspaceId: "library" })).toBe("MCP_TASK_NOT_FOUND");
    expect((await runOf(stage.client(), "wrong", runId)).state).toBe("waiting_for_decision");
    expect(await stop({})).toBeNull();
  });

  test(verifies("programs.once"), async () => {
    await save("once", { steps: [goTo("/flow/button?label=once"), click("#press")] });
    const ended = await begin("once");
    expect(ended.state).toBe("finished");
    const again = await run(stage.client(), {
      workspaceId: "once",
      programId: "once",
      from: "library",
      runId: ended.runId,
    });
    expect([again.runId, again.state]).toEqual([ended.runId, "finished"]);
    await until(() => noted("pressed=once") === 1, { deadlineMs: SOON_MS, why: "it was pressed" });
    const both = await Promise.all(
      Array.from({ length: 2 }, () =>
        run(stage.client(), { workspaceId: "once", programId: "once", from: "library", runId: "twice" }),
      ),
    );
    await runIs(stage.client(), "once", "twice", ["finished"]);
    expect(new Set(both.map(({ runId }) => runId))).toEqual(new Set(["twice"]));
    await until(() => noted("pressed=once") === 2, {
      deadlineMs: SOON_MS,
      why: "it was pressed once more, and once only",
    });
  });
});
