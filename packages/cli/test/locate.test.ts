import { describe, expect, test } from "vitest";
import { locateChromium, locateNatsServer, type Machine } from "../src/locate.js";

function machine(files: readonly string[], env: Record<string, string> = {}, platform = "linux"): Machine {
  return {
    env,
    home: "/home/ada",
    platform,
    runnable: (path) => files.includes(path),
    list: (folder) => [
      ...new Set(
        files
          .filter((file) => file.startsWith(`${folder}/`))
          .map((file) => file.slice(folder.length + 1).split("/")[0] ?? ""),
      ),
    ],
    versionOf: () => "1.2.3",
  };
}

const PLAYWRIGHTS = "/home/ada/.cache/ms-playwright";

describe("the NATS server", () => {
  test("is the one that HOLDFAST_NATS_SERVER names, before any other", () => {
    const found = locateNatsServer(
      machine(["/opt/nats", "/usr/bin/nats-server"], { HOLDFAST_NATS_SERVER: "/opt/nats", PATH: "/usr/bin" }),
    );
    expect(found).toEqual({ path: "/opt/nats", version: "1.2.3", why: "HOLDFAST_NATS_SERVER names it" });
  });

  test("is not replaced by another when the one that was named cannot be run", () => {
    expect(
      locateNatsServer(machine(["/usr/bin/nats-server"], { HOLDFAST_NATS_SERVER: "/opt/nats", PATH: "/usr/bin" })),
    ).toBeNull();
  });

  test("is found on PATH before the usual folders", () => {
    const found = locateNatsServer(machine(["/usr/sbin/nats-server", "/mine/nats-server"], { PATH: "/mine:/usr/bin" }));
    expect(found?.path).toBe("/mine/nats-server");
  });

  test.each(["/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"])(
    "is found in %s although PATH does not have it",
    (folder) => {
      expect(locateNatsServer(machine([`${folder}/nats-server`], { PATH: "/usr/bin" }))?.path).toBe(
        `${folder}/nats-server`,
      );
    },
  );

  test("is null on a machine without one", () => {
    expect(locateNatsServer(machine([], { PATH: "/usr/bin" }))).toBeNull();
  });
});

describe("the browser", () => {
  test("that HOLDFAST_CHROMIUM names may be one that runs already", () => {
    expect(locateChromium(machine([], { HOLDFAST_CHROMIUM: "cdp:http://127.0.0.1:9222" }))?.path).toBe(
      "cdp:http://127.0.0.1:9222",
    );
  });

  test("is Playwright's newest build before the system's", () => {
    const files = [
      `${PLAYWRIGHTS}/chromium-999/chrome-linux/chrome`,
      `${PLAYWRIGHTS}/chromium-1200/chrome-linux64/chrome`,
      "/usr/bin/chromium",
    ];
    expect(locateChromium(machine(files, { PATH: "/usr/bin" }))?.path).toBe(
      `${PLAYWRIGHTS}/chromium-1200/chrome-linux64/chrome`,
    );
  });

  test("is looked for where PLAYWRIGHT_BROWSERS_PATH says", () => {
    const files = ["/pw/chromium-1200/chrome-linux64/chrome"];
    expect(locateChromium(machine(files, { PLAYWRIGHT_BROWSERS_PATH: "/pw" }))?.path).toBe(files[0]);
  });

  test("is not taken from an unfinished download of Playwright", () => {
    expect(locateChromium(machine([`${PLAYWRIGHTS}/chromium-1200/INSTALLATION_INCOMPLETE`]))).toBeNull();
  });

  test("is Chrome of the system when there is no Chromium", () => {
    expect(locateChromium(machine(["/usr/bin/google-chrome"], { PATH: "/usr/bin" }))?.path).toBe(
      "/usr/bin/google-chrome",
    );
  });

  test("is found among the applications of a Mac", () => {
    const path = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
    expect(locateChromium(machine([path], {}, "darwin"))?.path).toBe(path);
  });
});
