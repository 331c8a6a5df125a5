import { type Admitted, admitted, asFailure, HoldfastError, wire } from "@holdfast/protocol";
import type { ConsumerMessages, JsMsg } from "nats";
import { MUTATIONS } from "./assets.js";
import { decode, encode } from "./codec.js";
import { type Bus, manager } from "./connect.js";
import { ACK_WAIT_MS, PULL_AHEAD, QUEUE_RETRY_MS, WORKING_EVERY_MS } from "./limits.js";
import { pause } from "./pause.js";
import { consumerOf, forgetQueue, type QueueOf, takeQueue } from "./queue-holder.js";
import { hasCode } from "./server-code.js";

/** The server's code for a queue that is at its limit for one subject. */
const QUEUE_FULL = 10_077;

/**
 * Puts an admitted mutation into its project's queue. Only task-control calls this.
 * @throws HoldfastError `MCP_QUEUE_FULL`: it is not there. `MCP_BUS_DOWN`: it may be there or not.
 */
export async function enqueue(bus: Bus, work: Admitted): Promise<void> {
  const msgID = `${work.workspaceId}.${work.operationId}`;
  try {
    await bus.js.publish(wire.mutation(work.workspaceId), encode(work), { msgID });
  } catch (thrown) {
    if (thrown instanceof HoldfastError) throw thrown;
    const full = hasCode(thrown, QUEUE_FULL);
    throw new HoldfastError(full ? "MCP_QUEUE_FULL" : "MCP_BUS_DOWN", "", {}, { cause: thrown });
  }
}

/** How many mutations of a project are queued or under way: those that are acknowledged are not. */
export async function queueLength(bus: Bus, workspaceId: string): Promise<number> {
  const subject = wire.mutation(workspaceId);
  const info = await (await manager(bus)).streams.info(MUTATIONS, { subjects_filter: subject });
  return info.state.subjects?.[subject] ?? 0;
}

export interface Delivery {
  readonly work: Admitted;
  /** It was handed out before: somebody may have begun it. */
  readonly redelivered: boolean;
}

/** What a run says of a mutation that is not its any more: it stays in the queue, for whoever holds the project now. */
export const HANDED_BACK = Symbol("handed back");
export type RunEnd = typeof HANDED_BACK | undefined;

export interface PullHooks {
  /** False once the project is somebody else's: then nothing more is pulled. */
  readonly holds: () => boolean;
  readonly onFault: (thrown: unknown) => void;
}

export interface Pulling {
  /** Takes nothing more; what is under way goes on. */
  readonly stop: () => Promise<void>;
  /** Lets go of the queue in good order, so that the next holder need not take it. */
  readonly forget: () => Promise<void>;
}

type Run = (delivery: Delivery) => Promise<RunEnd>;

/**
 * Pulls a project's mutations in order, one at a time: the next is handed out when `run` has ended.
 * While `run` goes on the server is told so. `run` must not throw: its failure is a fault of the worker, told to `onFault`,
 * and the message is handed out again. Goes on through losses of the link for as long as the project is held.
 * @throws HoldfastError `MCP_NO_WORKER` when a later holder has the queue, `MCP_BUS_DOWN`
 */
export async function pullMutations(bus: Bus, queue: QueueOf, run: Run, hooks: PullHooks): Promise<Pulling> {
  const puller = new Puller(bus, queue, run, hooks);
  await puller.begin();
  return puller;
}

class Puller implements Pulling {
  readonly #bus: Bus;
  readonly #queue: QueueOf;
  readonly #run: Run;
  readonly #hooks: PullHooks;
  readonly #over = new AbortController();
  #messages: ConsumerMessages | null = null;
  #inHand = 0;

  constructor(bus: Bus, queue: QueueOf, run: Run, hooks: PullHooks) {
    this.#bus = bus;
    this.#queue = queue;
    this.#run = run;
    this.#hooks = hooks;
  }

  async begin(): Promise<void> {
    this.#messages = await this.#open();
    const stopListening = this.#bus.onReconnect(() => void this.#renew());
    void this.#follow().finally(stopListening);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#messages?.close();
  }

  forget(): Promise<void> {
    return forgetQueue(this.#bus, this.#queue);
  }

  get #wanted(): boolean {
    return !this.#over.signal.aborted && this.#hooks.holds();
  }

  /** Opens the queue again whenever it has ended by itself: the server lost the consumer, or was away for long. */
  async #follow(): Promise<void> {
    while (this.#wanted) {
      const ended = await this.#messages?.closed();
      if (!this.#wanted) return;
      if (ended) this.#hooks.onFault(ended);
      await pause(QUEUE_RETRY_MS, this.#over.signal);
      if (!this.#wanted) return;
      await this.#open().then(
        (messages) => {
          this.#messages = messages;
        },
        (thrown: unknown) => this.#hooks.onFault(thrown),
      );
    }
  }

  /**
   * What was on its way when the link was lost, to us or from us, is handed out again only after `ACK_WAIT_MS`.
   * With nothing in hand nobody needs the consumer that waits for it: a new one hands it out at once.
   */
  async #renew(): Promise<void> {
    if (this.#inHand > 0 || !this.#wanted) return;
    await this.forget().catch(this.#hooks.onFault);
    if (this.#inHand === 0) await this.#messages?.close();
  }

  async #open(): Promise<ConsumerMessages> {
    await takeQueue(this.#bus, this.#queue);
    const consumer = await this.#bus.js.consumers.get(MUTATIONS, consumerOf(this.#queue));
    return consumer.consume({
      // The server hands out one at a time whatever is asked for; asking for several spares a request for each.
      max_messages: PULL_AHEAD,
      abort_on_missing_resource: true,
      callback: (message) => void this.#handle(message),
    });
  }

  async #handle(message: JsMsg): Promise<void> {
    this.#inHand += 1;
    await handle(message, this.#run).catch(this.#hooks.onFault);
    this.#inHand -= 1;
  }
}

async function handle(message: JsMsg, run: Run): Promise<void> {
  const alive = setInterval(() => message.working(), WORKING_EVERY_MS);
  try {
    const end = await run({ work: decode(admitted, message.data), redelivered: message.redelivered });
    if (end !== HANDED_BACK) message.ack();
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
