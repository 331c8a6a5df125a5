import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGE_PATHS, type PageServer, startPageServer } from "../src/page-server.js";
import { until } from "../src/wait.js";

let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
});
afterAll(() => server.close());

async function read(path: string, init?: RequestInit): Promise<{ text: string; answer: Response }> {
  const answer = await fetch(server.url(path), init);
  return { answer, text: await answer.text() };
}

describe("page server", () => {
  test("marks each load of a page with a mark of its own, and logs it", async () => {
    const first = await read("/a");
    const second = await read("/a");
    const marks = [first, second].map(({ text }) => text.match(/MARK:\/a:[0-9a-f]+/)?.[0]);
    expect(new Set(marks).size).toBe(2);
    expect(server.requests.slice(-2).map(({ mark }) => mark)).toEqual(marks);
  });

  test("marks a page with the name that was asked for, and shows its own address and path", async () => {
    const { text } = await read("/b?m=mine");
    expect(text).toContain("MARK:/b:mine");
    expect(text).toContain(server.url("/b?m=mine"));
    expect(text).toContain("<title>/b</title>");
  });

  test("escapes what comes out of the address", async () => {
    const { text } = await read("/a?m=<script>alert(1)</script>");
    expect(text).not.toContain("<script>alert(1)");
    expect((await read('/open?to=</script><b id="out">')).text).not.toContain('</script><b id="out">');
  });

  test("is another site by another name", async () => {
    const { text } = await read("/a");
    const other = await (await fetch(`${server.otherOrigin}/a`)).text();
    expect(text).toContain(`${server.origin}/a`);
    expect(other).toContain(`${server.otherOrigin}/a`);
  });

  test.each(PAGE_PATHS.filter((path) => !["/slow", "/noload/frame", "/redir", "/dl", "/flow/note"].includes(path)))(
    "has %s",
    async (path) => {
      const { answer, text } = await read(`${path}?nodes=3&mb=1`);
      expect(answer.status).toBe(200);
      expect(text).toContain(`MARK:${path}:`);
    },
  );

  test("counts posts by id", async () => {
    await read("/hit", { method: "POST" });
    await read("/hit?id=mine", { method: "POST" });
    expect((await read("/hit?id=mine", { method: "POST" })).text).toBe("2");
    expect([server.hits(), server.hits("mine"), server.hits("nobody")]).toEqual([1, 2, 0]);
  });

  test("redirects, downloads, and says what it has not got", async () => {
    const redirected = await read("/redir?to=/c", { redirect: "manual" });
    expect([redirected.answer.status, redirected.answer.headers.get("location")]).toEqual([302, "/c"]);
    expect((await read("/dl?mb=2")).text).toHaveLength(2 * 1024 * 1024);
    expect((await read("/nowhere")).answer.status).toBe(404);
  });

  test("is as large as it is asked to be", async () => {
    expect((await read("/big?nodes=500")).text.match(/<li>/g)).toHaveLength(500);
    expect((await read("/big-bytes?mb=3")).text.length).toBeGreaterThan(3 * 1024 * 1024);
  });

  test("remembers a login by a cookie", async () => {
    const { answer } = await read("/login?user=ann");
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await read("/whoami", { headers: { cookie } })).text).toContain("cookie: ann");
    expect((await read("/whoami")).text).toContain("cookie: nobody");
  });

  test("shows what a form sent, but no password", async () => {
    const { text } = await read("/form/sent", {
      method: "POST",
      body: new URLSearchParams({ text: "seen", password: "unseen" }),
    });
    expect(text).toContain("text=seen");
    expect(text).not.toContain("unseen");
  });
});

describe("page server, at its end", () => {
  test("ends the answers that would still hang", async () => {
    const own = await startPageServer();
    const slow = fetch(own.url("/slow?s=60")).then(
      () => "answered",
      () => "cut",
    );
    const frame = await fetch(own.url("/noload/frame"));
    await until(() => own.requests.length === 2, { deadlineMs: 2000, why: "both requests have arrived" });
    const began = performance.now();
    await own.close();
    expect(await slow).toBe("cut");
    await expect(frame.text()).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
