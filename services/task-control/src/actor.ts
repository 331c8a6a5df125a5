import type { Bucket, Entry } from "@holdfast/bus";
import { HoldfastError } from "@holdfast/protocol";
import { decide } from "./core/decide.js";
import { mayWait } from "./core/ends.js";
import type { Decision, Effect, Input } from "./core/inputs.js";
import type { ProjectState } from "./core/state.js";
import type { Decided } from "./input-record.js";
import { BATCH_MAX, CAS_TRIES_MAX, END_WAITS_MS } from "./limits.js";

interface Waiting {
  readonly input: Input;
  readonly resolve: (decision: Decision) => void;
  readonly reject: (thrown: unknown) => void;
}

interface Judged {
  readonly waiting: Waiting;
  readonly decision: Decision | null;
  readonly thrown: unknown;
}

/** Performs the effects that must come before the decision is stored. */
export type Abort = (effect: Effect & { effect: "abort" }) => void;

/**
 * One project's inputs, in order. Those that wait are decided together and stored with one compare-and-set,
 * so a thousand callers cost a few writes; a stop goes to the front, so it waits for one write at the most.
 */
export class Actor {
  readonly #store: Bucket<ProjectState>;
  readonly #workspaceId: string;
  readonly #abort: Abort;
  readonly #decided: Decided | undefined;
  #entry: Entry<ProjectState> | null = null;
  #waiting: Waiting[] = [];
  #working = false;
  #due: NodeJS.Timeout | undefined;

  constructor(store: Bucket<ProjectState>, workspaceId: string, abort: Abort, onDecided?: Decided) {
    this.#decided = onDecided;
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#abort = abort;
  }

  get idle(): boolean {
    return !this.#working && this.#waiting.length === 0;
  }

  /** The state as last seen, to look things up by; decisions are made on what is stored. */
  async recall(): Promise<ProjectState> {
    this.#entry ??= await this.#load();
    return this.#entry.value;
  }

  /**
   * @param input an end that nobody waits for is stored with the next input, or after `END_WAITS_MS`: the caller who has heard it
   * usually goes on at once, and then both cost one write
   * @throws HoldfastError `MCP_PROJECT_NOT_FOUND`, `MCP_BUS_DOWN`
   */
  apply(input: Input): Promise<Decision> {
    const decided = new Promise<Decision>((resolve, reject) => {
      const waiting = { input, resolve, reject };
      if (input.input === "stop" || input.input === "stop_seen") this.#waiting.splice(this.#endsFirst, 0, waiting);
      else this.#waiting.push(waiting);
    });
    if (this.#working) return decided;
    if (this.#waiting.length === 1 && this.#entry && mayWait(this.#entry.value, input))
      this.#due = setTimeout(() => void this.#work(), END_WAITS_MS);
    else void this.#work();
    return decided;
  }

  /** How many ends wait at the front: a stop passes all else, and does not stop what has ended. */
  get #endsFirst(): number {
    const other = this.#waiting.findIndex(({ input }) => input.input !== "ended");
    return other < 0 ? this.#waiting.length : other;
  }

  async #work(): Promise<void> {
    clearTimeout(this.#due);
    this.#working = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX);
      await this.#settle(batch).catch((thrown: unknown) => {
        this.#entry = null;
        for (const waiting of batch) waiting.reject(thrown);
      });
    }
    this.#working = false;
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    let fresh = this.#entry === null;
    for (let tries = 0; tries < CAS_TRIES_MAX; tries += 1) {
      const entry: Entry<ProjectState> = this.#entry ?? (await this.#load());
      const { judged, next } = judge(entry.value, batch);
      if (!fresh && (next === entry.value || judged.some(refuses))) {
        // Another replica may have changed the project since: on the word of a memory nobody is refused, and nothing ignored.
        this.#entry = null;
        fresh = true;
        continue;
      }
      for (const effect of aborts(judged)) this.#abort(effect);
      const revision =
        next === entry.value ? entry.revision : await this.#store.update(this.#workspaceId, next, entry.revision);
      this.#entry = revision === null ? null : { value: next, revision };
      if (revision !== null) {
        const stood = judged.filter(({ decision }) => decision !== null);
        this.#decided?.(
          entry.value,
          stood.map(({ waiting }) => waiting.input),
          next,
        );
        return tellAll(judged);
      }
      fresh = true;
    }
    throw new HoldfastError(
      "MCP_INTERNAL",
      `The state of ${this.#workspaceId} could not be stored in ${CAS_TRIES_MAX} tries.`,
    );
  }

  async #load(): Promise<Entry<ProjectState>> {
    const entry = await this.#store.get(this.#workspaceId);
    if (entry) return entry;
    throw new HoldfastError(
      "MCP_PROJECT_NOT_FOUND",
      `There is no project ${this.#workspaceId}: open it with project_open.`,
      {
        workspaceId: this.#workspaceId,
      },
    );
  }
}

function judge(state: ProjectState, batch: readonly Waiting[]): { judged: Judged[]; next: ProjectState } {
  let next = state;
  const judged = batch.map((waiting): Judged => {
    try {
      const decision = decide(next, waiting.input);
      next = decision.next;
      return { waiting, decision, thrown: null };
    } catch (thrown) {
      return { waiting, decision: null, thrown };
    }
  });
  return { judged, next };
}

function refuses({ decision }: Judged): boolean {
  return decision?.reply.reply === "refused" || decision?.reply.reply === "wait";
}

function aborts(judged: readonly Judged[]): (Effect & { effect: "abort" })[] {
  return judged.flatMap(({ decision }) => decision?.effects ?? []).filter((effect) => effect.effect === "abort");
}

/**
 * Ends first, so that their answers are on the wire before what else was decided: the queue hands out the next mutation only
 * when the worker has heard that the one before is stored.
 */
function tellAll(judged: readonly Judged[]): void {
  const isEnd = ({ waiting }: Judged): boolean => waiting.input.input === "ended";
  settle(judged.filter(isEnd));
  process.nextTick(
    settle,
    judged.filter((each) => !isEnd(each)),
  );
}

function settle(judged: readonly Judged[]): void {
  for (const { waiting, decision, thrown } of judged) {
    if (decision) waiting.resolve(decision);
    else waiting.reject(thrown);
  }
}
