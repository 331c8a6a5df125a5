import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locateChromium } from "@holdfast/cli";

/** A tab as the browser itself tells of it. */
export interface PersonsTab {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly title: string;
}

/** A Chromium that a person has started, with a debug port on loopback, and what the person does in it. */
export interface PersonsBrowser {
  /** Its debug port, by a way that can be cut. */
  readonly address: string;
  readonly running: () => boolean;
  readonly open: (url: string) => Promise<PersonsTab>;
  readonly tabs: () => Promise<readonly PersonsTab[]>;
  /** Ends all debug links at once. */
  readonly cut: () => void;
  /** Has the links of this moment fall silent, without an end; new ones are as before. */
  readonly silence: () => void;
  readonly close: () => Promise<void>;
}

export async function startPersonsBrowser(): Promise<PersonsBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "holdfast-person-"));
  const program = locateChromium()?.path;
  if (program === undefined) throw new Error("There is no Chromium.");
  const args = [
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-port=0",
    `--user-data-dir=${profile}`,
    "about:blank",
  ];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  const port = await portTold(child);
  const way = await wayTo(port);
  const ask = async (path: string, method = "GET"): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}/json/${path}`, { method })).json();
  return {
    address: `http://127.0.0.1:${way.port}`,
    running: () => child.exitCode === null && child.signalCode === null,
    open: async (url) => (await ask(`new?${encodeURIComponent(url)}`, "PUT")) as PersonsTab,
    tabs: async () => ((await ask("list")) as PersonsTab[]).filter(({ type }) => type === "page"),
    cut: way.cut,
    silence: way.silence,
    close: async () => {
      way.close();
      if (child.exitCode === null) {
        child.kill();
        await once(child, "exit");
      }
      // Its processes end after it, and may write until then: what they put there meanwhile is removed with the rest.
      await rm(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function portTold(child: ChildProcess): Promise<number> {
  let text = "";
  for await (const chunk of child.stderr ?? []) {
    text += String(chunk);
    const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port === undefined) continue;
    child.stderr?.resume();
    return Number(port);
  }
  throw new Error(`Chromium told no debug port: ${text}`);
}

/** A way to a port that can be cut, or fall silent. */
async function wayTo(port: number): Promise<{ port: number; cut: () => void; silence: () => void; close: () => void }> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    const pair = [socket, onward] as const;
    pairs.add(pair);
    for (const one of pair) {
      one.on("error", () => one.destroy());
      one.on("close", () => pairs.delete(pair));
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  const silence = (): void => {
    for (const [socket, onward] of pairs) {
      socket.unpipe(onward);
      onward.unpipe(socket);
      onward.destroy();
    }
  };
  const close = (): void => {
    cut();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, cut, silence, close };
}
