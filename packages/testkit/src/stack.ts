import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Endpoint, type Stack, type StackOptions, startStack } from "@holdfast/cli";
import { connectClient, connectModernClient, type TestClient } from "./client.js";
import { allGone, descendants, type ProcessSeen, processesNaming } from "./leaks.js";

export interface TestStackOptions extends Partial<Omit<StackOptions, "port">> {
  /** Leave the state folder there at the end: for tests that start again from it. */
  readonly keepState?: boolean;
}

type OldClient = Awaited<ReturnType<typeof connectClient>>;
type ModernClient = Awaited<ReturnType<typeof connectModernClient>>;

/** A whole Holdfast: real nats-server, real services, real Chromium. */
export interface TestStack {
  readonly endpoint: Endpoint;
  readonly stack: Stack;
  readonly stateDir: string;
  /** A new connection, at the project's own endpoint if one is named; closed with the stack. */
  readonly client: (project?: string) => Promise<OldClient>;
  readonly modernClient: (project?: string) => Promise<ModernClient>;
  /** All processes of the stack as they are now: the services, the bus, the browsers. */
  readonly processes: () => readonly ProcessSeen[];
  /** Ends everything. @throws Error naming the processes that are left */
  readonly stop: () => Promise<void>;
}

/** All processes are gone this many ms after a stop. */
const GONE_MS = 10_000;

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const { keepState = false, stateDir = mkdtempSync(join(tmpdir(), "holdfast-test-")), ...rest } = options;
  const stack = await startStack({ ...rest, stateDir, port: 0 });
  const clients: TestClient<unknown>[] = [];
  const opened = async <C extends TestClient<unknown>>(connecting: Promise<C>): Promise<C> => {
    const client = await connecting;
    clients.push(client);
    return client;
  };
  const processes = (): readonly ProcessSeen[] => processesOf(stack, stateDir);
  return {
    endpoint: stack.endpoint,
    stack,
    stateDir,
    processes,
    client: (project) => opened(connectClient(endpointFor(stack, project))),
    modernClient: (project) => opened(connectModernClient(endpointFor(stack, project))),
    stop: async () => {
      const before = processes();
      await Promise.allSettled(clients.map((client) => client.close()));
      await stack.stop();
      await allGone(before, GONE_MS);
      if (!keepState) rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** The children with all that they began, and whatever names the state folder though its parent is gone. */
function processesOf(stack: Stack, stateDir: string): ProcessSeen[] {
  const ofChildren = descendants(process.pid).filter((seen) => isPartOf(stack, seen));
  const all = [...ofChildren, ...ofChildren.flatMap((seen) => descendants(seen.pid)), ...processesNaming(stateDir)];
  return [...new Map(all.map((seen) => [seen.pid, seen])).values()];
}

function isPartOf(stack: Stack, seen: ProcessSeen): boolean {
  return stack.children.some((child) => child.pid === seen.pid);
}

function endpointFor(stack: Stack, project: string | undefined): Parameters<typeof connectClient>[0] {
  const { mcpUrl, token } = stack.endpoint;
  return { url: mcpUrl, ...(token === null ? {} : { token }), ...(project === undefined ? {} : { project }) };
}
