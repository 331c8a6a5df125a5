import { type Admitted, admitted, asFailure, HoldfastError, wire } from "@holdfast/protocol";
import { AckPolicy, type ConsumerMessages, type JsMsg, NatsError, nanos } from "nats";
import { MUTATIONS } from "./assets.js";
import { decode, encode } from "./codec.js";
import { type Bus, manager } from "./connect.js";
import { ACK_WAIT_MS, WORKING_EVERY_MS } from "./limits.js";

/** The server's code for a queue that is at its limit for one subject. */
const QUEUE_FULL = 10_077;
/** ms of inactivity after which the server forgets a consumer; its messages stay. */
const CONSUMER_IDLE_MS = 86_400_000;

/**
 * Puts an admitted mutation into its project's queue. Only task-control calls this.
 * @throws HoldfastError `MCP_QUEUE_FULL`, `MCP_BUS_DOWN`
 */
export async function enqueue(bus: Bus, work: Admitted): Promise<void> {
  const msgID = `${work.workspaceId}.${work.operationId}`;
  try {
    await bus.js.publish(wire.mutation(work.workspaceId), encode(work), { msgID });
  } catch (thrown) {
    if (thrown instanceof HoldfastError) throw thrown;
    const full = thrown instanceof NatsError && thrown.api_error?.err_code === QUEUE_FULL;
    throw new HoldfastError(full ? "MCP_QUEUE_FULL" : "MCP_BUS_DOWN", "", {}, { cause: thrown });
  }
}

export interface Delivery {
  readonly work: Admitted;
  /** It was handed out before: somebody may have begun it. */
  readonly redelivered: boolean;
}

export interface Pulling {
  /** Takes nothing more; what is under way goes on. */
  readonly stop: () => Promise<void>;
}

/**
 * Pulls a project's mutations in order, one at a time: the next is handed out when `run` has ended.
 * While `run` goes on the server is told so. `run` must not throw: its failure is a fault of the worker, told to `onFault`,
 * and the message is handed out again.
 */
export async function pullMutations(
  bus: Bus,
  workspaceId: string,
  run: (delivery: Delivery) => Promise<void>,
  onFault: (thrown: unknown) => void,
): Promise<Pulling> {
  const durable = `m_${workspaceId}`;
  const jsm = await manager(bus);
  await jsm.consumers.add(MUTATIONS, {
    durable_name: durable,
    filter_subject: wire.mutation(workspaceId),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: 1,
    // With a finite number the server would skip a message that keeps failing and strand it; the ledger decides instead.
    max_deliver: -1,
    inactive_threshold: nanos(CONSUMER_IDLE_MS),
  });
  const consumer = await bus.js.consumers.get(MUTATIONS, durable);
  const messages: ConsumerMessages = await consumer.consume({
    max_messages: 1,
    callback: (message) => void handle(message, run).catch(onFault),
  });
  return { stop: async () => void (await messages.close()) };
}

async function handle(message: JsMsg, run: (delivery: Delivery) => Promise<void>): Promise<void> {
  const alive = setInterval(() => message.working(), WORKING_EVERY_MS);
  try {
    await run({ work: decode(admitted, message.data), redelivered: message.redelivered });
    message.ack();
  } catch (thrown) {
    const failure = asFailure(thrown);
    // A message that cannot be read never will be: it is ended, and told; anything else comes again.
    if (failure.code === "MCP_BAD_ARGUMENTS") message.term();
    else message.nak(ACK_WAIT_MS);
    throw thrown;
  } finally {
    clearInterval(alive);
  }
}
