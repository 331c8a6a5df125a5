import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { until } from "@holdfast/testkit";

/** A screen that nobody sees, with the window of another program, which a person types into. */
export interface Display {
  /** For a program that is to show itself there. */
  readonly env: Readonly<Record<string, string>>;
  readonly desk: () => Promise<Desk>;
  readonly close: () => void;
}

/** The person's own window: what it heard, and whether anything came before it. */
export interface Desk {
  readonly press: (key: string) => void;
  /** Keys that came to it since it was opened. */
  readonly keysHeard: () => number;
  /** Times it lost the keyboard, or was covered. */
  readonly disturbed: () => number;
  readonly close: () => void;
}

const SOON_MS = 15_000;

/** Needs `Xvfb`, `xdotool` and `xev`, which `npm test` installs on Debian. */
export async function openDisplay(): Promise<Display> {
  const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [number] = (await once(screen.stdio[3] as NodeJS.ReadableStream, "data")) as [Buffer];
  const env = { DISPLAY: `:${String(number).trim()}` };
  const desks: Desk[] = [];
  return {
    env,
    desk: async () => {
      const desk = await openDesk(env);
      desks.push(desk);
      return desk;
    },
    close: () => {
      for (const desk of desks) desk.close();
      screen.kill();
    },
  };
}

async function openDesk(env: Readonly<Record<string, string>>): Promise<Desk> {
  const all = { ...process.env, ...env };
  const xdotool = (...args: string[]): string => execFileSync("xdotool", args, { env: all, encoding: "utf8" }).trim();
  const events = ["keyboard", "focus", "visibility"].flatMap((kind) => ["-event", kind]);
  // By the line: else what it hears would stay in its buffer.
  const window: ChildProcess = spawn(
    "stdbuf",
    ["-oL", "xev", "-name", NAME, "-geometry", "600x400+100+100", ...events],
    {
      env: all,
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  let said = "";
  window.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const id = xdotool("search", "--sync", "--onlyvisible", "--name", `^${NAME}$`);
  xdotool("windowraise", id);
  xdotool("windowfocus", "--sync", id);
  await until(() => said.includes("FocusIn event"), {
    deadlineMs: SOON_MS,
    why: "the person's window has the keyboard",
  });
  // What came of taking it is no disturbance.
  said = "";
  return {
    press: (key) => void xdotool("key", key),
    keysHeard: () => count(said, /^KeyPress event/gm),
    disturbed: () => count(said, DISTURBED),
    close: () => void window.kill(),
  };
}

const NAME = "a person's own window";
const DISTURBED = /^FocusOut event|VisibilityFullyObscured|VisibilityPartiallyObscured/gm;

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
