import { HoldfastError, wire } from "@holdfast/protocol";
import { AckPolicy, nanos } from "nats";
import { MUTATIONS } from "./assets.js";
import { type Bus, manager } from "./connect.js";
import { ACK_WAIT_MS } from "./limits.js";
import { hasCode } from "./server-code.js";

/** A project's queue as one holder of its lease has it. */
export interface QueueOf {
  readonly workspaceId: string;
  readonly epoch: number;
}

type Manager = Awaited<ReturnType<typeof manager>>;

/** The server's code for a queue that another consumer has already. */
const NOT_UNIQUE = 10_100;
const CONSUMER_NOT_FOUND = 10_014;
/** ms of inactivity after which the server forgets a consumer; its messages stay. */
const CONSUMER_IDLE_MS = 86_400_000;
/** Times the queue is fought for: more holders than this do not come at one moment. */
const TRIES = 3;

export function consumerOf({ workspaceId, epoch }: QueueOf): string {
  return `m_${workspaceId}_${epoch}`;
}

/**
 * Takes the queue for this epoch, and from whoever had it before. A consumer bears its epoch in its name, so an older
 * holder that wakes up pulls from nothing and acknowledges nothing: what it had in hand is handed out again, at once.
 * @throws HoldfastError `MCP_NO_WORKER` when a later epoch has it
 */
export async function takeQueue(bus: Bus, queue: QueueOf): Promise<void> {
  const jsm = await manager(bus);
  for (let tries = 1; ; tries += 1) {
    try {
      return await addConsumer(jsm, queue);
    } catch (thrown) {
      if (!hasCode(thrown, NOT_UNIQUE) || tries === TRIES) throw down(thrown);
    }
    await removeOlder(jsm, queue);
  }
}

/** Lets go of the queue, so that the next holder finds it free. */
export async function forgetQueue(bus: Bus, queue: QueueOf): Promise<void> {
  await removeConsumer(await manager(bus), consumerOf(queue));
}

async function addConsumer(jsm: Manager, queue: QueueOf): Promise<void> {
  await jsm.consumers.add(MUTATIONS, {
    durable_name: consumerOf(queue),
    filter_subject: wire.mutation(queue.workspaceId),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: 1,
    // With a finite number the server would skip a message that keeps failing and strand it; the ledger decides instead.
    max_deliver: -1,
    inactive_threshold: nanos(CONSUMER_IDLE_MS),
  });
}

async function removeOlder(jsm: Manager, queue: QueueOf): Promise<void> {
  for await (const { name } of jsm.consumers.list(MUTATIONS)) {
    const epoch = epochIn(name, queue.workspaceId);
    if (epoch === null) continue;
    if (epoch > queue.epoch)
      throw new HoldfastError("MCP_NO_WORKER", "A later holder has the project's queue.", { ...queue });
    await removeConsumer(jsm, name);
  }
}

/** The epoch in the name of a consumer of the project's; null for another project's. Names of older versions have none. */
export function epochIn(name: string, workspaceId: string): number | null {
  if (name === `m_${workspaceId}`) return 0;
  const head = `m_${workspaceId}_`;
  const rest = name.slice(head.length);
  return name.startsWith(head) && /^\d+$/.test(rest) ? Number(rest) : null;
}

async function removeConsumer(jsm: Manager, name: string): Promise<void> {
  await jsm.consumers.delete(MUTATIONS, name).catch((thrown: unknown) => {
    if (!hasCode(thrown, CONSUMER_NOT_FOUND)) throw thrown;
  });
}

function down(thrown: unknown): HoldfastError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HoldfastError("MCP_BUS_DOWN", `The queue did not answer: ${message}`, {}, { cause: thrown });
}
