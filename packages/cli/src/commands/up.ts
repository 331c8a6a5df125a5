import { urlPattern } from "@holdfast/protocol";
import { type Command, InvalidArgumentError } from "commander";
import pc from "picocolors";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { setUp } from "../setup.js";
import { isFree } from "../stack/nats-server.js";
import { type Endpoint, StackError, type StackEvent, type StackOptions } from "../stack/options.js";
import { startStack } from "../stack/start.js";
import { stateDirOf } from "../target.js";
import type { Ended } from "./ended.js";

/** The port of a stack that is told none, so that an agent's configuration holds from one start to the next. */
export const DEFAULT_PORT = 7420;
/**
 * A signal repeated within this, in ms, is the same one: in a terminal Ctrl-C reaches the whole group, and npm and the
 * start script pass it on as well. A later one means that the person has waited enough.
 */
const SAME_SIGNAL_MS = 1_500;

interface UpFlags {
  readonly port?: number;
  readonly workers: number;
  readonly headed?: boolean;
  readonly state?: string;
  readonly nats?: string;
  readonly browser?: string;
  readonly deny?: readonly string[];
  readonly allow?: readonly string[];
  readonly auth: boolean;
  readonly json?: boolean;
  readonly setup?: boolean;
}

/** Adds `up`: the local stack in the foreground. */
export function addUp(program: Command, ended: Ended): void {
  program
    .command("up")
    .description("Runs the local stack in the foreground.")
    .option("--port <n>", `the gateway's port on 127.0.0.1; 0 takes a free one (default ${DEFAULT_PORT})`, whole)
    .option("--workers <n>", "browser workers", whole, 1)
    .option(
      "--headed",
      "show the browsers' windows; Chromium brings one to the front whenever something in it is clicked",
    )
    .option("--state <dir>", "where everything is kept (default HOLDFAST_STATE, else .holdfast)")
    .option("--nats <url>", "use this server with JetStream instead of starting one")
    .option("--browser <path>", "the browser to run, or cdp:URL of one that runs")
    .option(
      "--deny <pattern...>",
      "addresses that no project may load, such as *.example.com or private-network",
      pattern,
    )
    .option("--allow <pattern...>", "the only addresses that projects may load", pattern)
    .option("--no-auth", "ask for no token; for loopback alone")
    .option("--json", "print the endpoint as one line when ready, and nothing else on stdout")
    .option("--setup", "install what is missing first")
    .action(async (flags: UpFlags) => ended(await up(flags)));
}

async function up(flags: UpFlags): Promise<ExitCode> {
  const say = sayTo(flags.json === true);
  try {
    if (flags.setup)
      await setUp(say, [
        ...(flags.nats ? [] : ["nats-server" as const]),
        ...(flags.browser ? [] : ["chromium" as const]),
      ]);
    const ending = endOnSignal();
    const options = await stackOptions(flags, say);
    const stack = await startStack({ ...options, signal: ending.signal, onEvent: (event) => tellEvent(event, say) });
    ending.onImpatience(() => void stack.stop("SIGKILL"));
    if (flags.json) console.log(JSON.stringify(stack.endpoint));
    else console.log(welcome(stack.endpoint));
    const { code } = await stack.closed;
    return code === 0 ? EXIT.done : EXIT.failed;
  } catch (thrown) {
    if (!(thrown instanceof StackError)) throw thrown;
    console.error(thrown.message);
    return EXIT.failed;
  }
}

async function stackOptions(flags: UpFlags, say: (line: string) => void): Promise<StackOptions> {
  return {
    stateDir: stateDirOf(flags.state),
    port: await portOf(flags.port, say),
    workers: flags.workers,
    headed: flags.headed === true,
    noAuth: !flags.auth,
    ...(flags.nats !== undefined && { natsUrl: flags.nats }),
    ...(flags.browser !== undefined && { browser: flags.browser }),
    ...((flags.allow || flags.deny) && {
      urlRules: { allow: [...(flags.allow ?? [])], deny: [...(flags.deny ?? [])] },
    }),
  };
}

/** A port that was asked for is had or refused; only the one that nobody asked for gives way to a free one. */
async function portOf(asked: number | undefined, say: (line: string) => void): Promise<number> {
  const port = asked ?? DEFAULT_PORT;
  if (port === 0 || (await isFree(port))) return port;
  if (asked !== undefined)
    throw new StackError(`Port ${port} is taken by another program. Give another one, or --port 0.`);
  say(`port ${port} is taken by another program; a free one is used`);
  return 0;
}

/** The first signal ends the stack in good order; one that comes later, when someone has waited enough, at once. */
function endOnSignal(): { signal: AbortSignal; onImpatience: (then: () => void) => void } {
  const ending = new AbortController();
  let first = 0;
  let impatient: () => void = () => undefined;
  const onSignal = () => {
    const now = performance.now();
    if (first !== 0 && now - first > SAME_SIGNAL_MS) impatient();
    first ||= now;
    ending.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  return {
    signal: ending.signal,
    onImpatience: (then) => {
      impatient = then;
    },
  };
}

/** How an agent is connected to a stack. */
export function welcome({ mcpUrl, consoleUrl, token }: Endpoint): string {
  const header = token === null ? "" : ` --header "Authorization: Bearer ${token}"`;
  const headers = token === null ? {} : { headers: { Authorization: `Bearer ${token}` } };
  const snippet = { mcpServers: { holdfast: { type: "http", url: mcpUrl, ...headers } } };
  return [
    "",
    `${pc.green(pc.bold("Holdfast runs."))} Console: ${consoleUrl}${token === null ? "" : `#token=${token}`}`,
    "",
    pc.bold("Connect Claude Code:"),
    `  claude mcp add --transport http holdfast ${mcpUrl}${header}`,
    pc.bold("Any other agent:"),
    JSON.stringify(snippet, null, 2).replaceAll(/^/gm, "  "),
    "",
    `Add ?project=NAME to the address to give each agent a project of its own. ${pc.dim("Ctrl-C ends the stack.")}`,
  ].join("\n");
}

function sayTo(json: boolean): (line: string) => void {
  return json ? (line) => console.error(line) : (line) => console.log(line);
}

function tellEvent(event: StackEvent, say: (line: string) => void): void {
  if (event.event !== "starting") say(pc.dim(event.text));
}

function pattern(text: string, before: readonly string[] = []): string[] {
  if (!urlPattern.safeParse(text).success) {
    throw new InvalidArgumentError("It must be [scheme://]host[:port][/path], a scheme such as http:, or a preset.");
  }
  return [...before, text];
}

function whole(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
  }
  return value;
}
