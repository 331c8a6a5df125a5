import { describe, expect, test } from "vitest";
import { remedyFor } from "../src/setup.js";

const debian = { platform: "linux", root: true, distribution: "debian" };

describe("what is missing", () => {
  test.each(["chromium", "nats-server"] as const)("%s is installed by apt on Debian when we are root", (program) => {
    const remedy = remedyFor(program, debian);
    const words = remedy.run?.map((command) => command.filter((word) => !/^-o$|=/.test(word)).join(" "));
    expect(words).toEqual(["apt-get update", `apt-get install -y --no-install-recommends ${program}`]);
  });

  test("is never installed with rights that we were not given", () => {
    const remedy = remedyFor("nats-server", { ...debian, root: false });
    expect(remedy).toEqual({ run: null, hint: "sudo apt-get install -y --no-install-recommends nats-server" });
  });

  test("is a browser of Playwright on Ubuntu, whose chromium package is a snap", () => {
    const remedy = remedyFor("chromium", { ...debian, distribution: "ubuntu" });
    expect(remedy.hint).toBe("npx playwright install --with-deps chromium");
    expect(remedy.run).not.toBeNull();
  });

  test("is named with the one command on a Mac", () => {
    expect(remedyFor("nats-server", { platform: "darwin", root: false, distribution: "" }).hint).toBe(
      "brew install nats-server",
    );
  });
});
