import { describe, expect, test } from "vitest";
import { verifies } from "../promises.js";
import { openTab, projectAt, tabsOf, withScene } from "../support/scene.js";
import { fine, nextTask, told } from "../support/work.js";

const { client, url } = withScene();

const PROFILES = [{ profileId: "default" }, { profileId: "second", displayName: "Second account" }];

/** Who the site takes the caller for: by the cookie that came, and by what the page has stored. */
async function whoAt(workspaceId: string, tabId: string): Promise<string> {
  fine(await client().call("browser_navigate", { workspaceId, tabId, url: url("/whoami") }));
  const read = fine(await client().call("browser_snapshot", { workspaceId, tabId }));
  return [/cookie: (\w+)/, /stored: (\w+)/].map((part) => part.exec(read.text)?.[1] ?? "?").join(" ");
}

describe("two logins on one site", () => {
  test(verifies("receivers.projects-share-nothing"), async () => {
    const [ann = ""] = await projectAt(client(), "ann", [url("/login?user=ann")]);
    const [ben = ""] = await projectAt(client(), "ben", [url("/login?user=ben")]);
    const [nobody = ""] = await projectAt(client(), "nobody", [url("/a")]);
    expect(await whoAt("ann", ann)).toBe("ann ann");
    expect(await whoAt("ben", ben)).toBe("ben ben");
    expect(await whoAt("nobody", nobody)).toBe("nobody nobody");
  });

  test(verifies("receivers.profiles-share-nothing"), async () => {
    told(await client().call("project_open", { workspaceId: "both", profiles: PROFILES }));
    const first = await openTab(client(), { workspaceId: "both", profileId: "default", url: url("/login?user=one") });
    const second = await openTab(client(), { workspaceId: "both", profileId: "second", url: url("/whoami") });
    expect(await whoAt("both", second)).toBe("nobody nobody");
    fine(await client().call("browser_navigate", { workspaceId: "both", tabId: second, url: url("/login?user=two") }));
    expect(await whoAt("both", first)).toBe("one one");
    expect(await whoAt("both", second)).toBe("two two");
    const listed = await tabsOf(client(), "both");
    expect(listed.find(({ tabId }) => tabId === second)?.profileId).toBe("second");
  });

  test("a tab and a profile that do not belong together are refused: a tab never changes its login", async () => {
    told(await client().call("project_open", { workspaceId: "mixed-up", profiles: PROFILES }));
    const tabId = await openTab(client(), { workspaceId: "mixed-up", profileId: "second", url: url("/a") });
    const answer = await client().call("browser_snapshot", { workspaceId: "mixed-up", tabId, profileId: "default" });
    expect(answer.code).toBe("MCP_TAB_NOT_FOUND");
    expect(answer.meta.error?.details).toMatchObject({ tabId, profileId: "second" });
  });

  test("a task of one profile never begins in a tab of another", async () => {
    told(await client().call("project_open", { workspaceId: "begins", profiles: PROFILES }));
    fine(await client().call("browser_navigate", { workspaceId: "begins", url: url("/login?user=default") }));
    const work = await nextTask(client(), "begins", "second");
    expect((await work.call("browser_snapshot")).code).toBe("MCP_TAB_GONE");
    const answer = fine(await work.call("browser_navigate", { url: url("/whoami"), snapshot: "full" }));
    expect(answer.meta.target?.profileId).toBe("second");
    expect(answer.text).toContain("cookie: nobody");
    expect(fine(await work.call("browser_snapshot")).meta.target).toEqual(answer.meta.target);
  });

  test("a name of a profile proves nothing: it is told as it was given", async () => {
    const status = told<{ profiles: unknown }>(
      await client().call("project_open", { workspaceId: "named", profiles: PROFILES }),
    );
    expect(status.profiles).toMatchObject(PROFILES);
  });
});
