import {
  ANSWERED_ELSEWHERE,
  type Delivery,
  type Incoming,
  type Pulling,
  pullMutations,
  type RunEnd,
  serve,
  verifier,
} from "@holdfast/bus";
import {
  type Answer,
  admitted,
  type Claim,
  failure,
  HoldfastError,
  noIdentity,
  type SavedProject,
  type StopAnswer,
  wire,
} from "@holdfast/protocol";
import { z } from "zod";
import { rebindTabs } from "./attached/rebind.js";
import { type Claims, serveClaims } from "./leases/claims.js";
import { DRAIN_MS } from "./limits.js";
import { Project } from "./project.js";
import type { Holds } from "./settings.js";
import type { Loaded } from "./state/state-keeper.js";
import { surroundingsOf } from "./surroundings.js";
import { within } from "./within.js";
import { type MutationParts, mutate } from "./work/mutation.js";
import { operate } from "./work/operate.js";
import { report } from "./work/reporting.js";
import type { WorkerParts } from "./worker-parts.js";

const named = z.object({ workspaceId: z.string() });

/** Serves projects: takes them, runs their mutations in order, answers reads beside them, and stops at once. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #projects = new Map<string, { readonly project: Project; readonly pulling: Promise<Pulling> }>();
  readonly #mutation: MutationParts;
  #claims: Claims | null = null;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { bus, log, ledger, artifacts } = parts;
    this.#mutation = {
      bus,
      log,
      ledger,
      artifacts,
      keepTabs: (project) => parts.tables.save(project, true),
      serves: (project) =>
        this.#projects.get(project.workspaceId)?.project === project &&
        parts.leases.holds(project.workspaceId, project.epoch),
    };
  }

  get size(): number {
    return this.#projects.size;
  }

  start(): void {
    const { bus, stopBus, workerId, leases, stopKey, log } = this.#parts;
    const onFailure = (told: unknown, incoming: Incoming): void =>
      log.error({ failure: told, subject: incoming.subject }, "a message failed");
    const verify = verifier(stopKey, Date.now);
    const begin = (asked: Claim, epoch: number): Promise<void> => this.#begin(asked, epoch);
    this.#claims = serveClaims({ bus, workerId, leases, onFailure, begin });
    serve(bus, { pattern: wire.worker(workerId, "read"), onFailure }, (body, { replyTo }) => this.#read(body, replyTo));
    serve(bus, { pattern: wire.worker(workerId, "release"), onFailure }, (body) =>
      this.release(named.parse(body).workspaceId),
    );
    serve(bus, { pattern: wire.worker(workerId, "save"), onFailure }, (body) =>
      this.#save(named.parse(body).workspaceId),
    );
    serve(bus, { pattern: wire.worker(workerId, "settled"), onFailure }, (body) =>
      this.#settled(named.parse(body).workspaceId),
    );
    serve(bus, { pattern: wire.worker(workerId, "recording"), onFailure }, (body) =>
      this.#parts.recordings.order(body, (workspaceId) => this.#projects.get(workspaceId)?.project),
    );
    serve(bus, { pattern: wire.worker(workerId, "settings"), onFailure }, (body) =>
      this.#settings(named.parse(body).workspaceId),
    );
    serve(stopBus, { pattern: wire.stopPattern, onFailure }, (body) => this.#stop(verify(body)));
  }

  /** The browser's process went: tabs sleep, and what was under way has ended with its page. */
  browserLost(): void {
    for (const { project } of this.#projects.values()) project.forgetPages();
  }

  /** A person's browser is there again: tabs whose page still is have it again. */
  browserBack(): void {
    for (const { project } of this.#projects.values()) {
      rebindTabs(project).catch((thrown: unknown) =>
        this.#parts.log.warn({ workspaceId: project.workspaceId, err: thrown }, "tabs were not found again"),
      );
    }
  }

  get projects(): readonly Project[] {
    return [...this.#projects.values()].map(({ project }) => project);
  }

  /** The lease is lost: everything of the project ends here, now, and nothing is told of it any more. */
  fence(workspaceId: string): void {
    const held = this.#projects.get(workspaceId);
    if (!held) return;
    this.#projects.delete(workspaceId);
    this.#parts.tables.forget(held.project);
    this.#parts.states.forget(held.project);
    this.#parts.recordings.drop(held.project);
    held.project.leaving.abort();
    held.project.running?.abort.abort(new HoldfastError("MCP_NO_WORKER", "The worker lost the project."));
    // A queue that could not be opened, or not be let go in time, is nobody's worry: the next holder takes it.
    held.pulling
      .then((pulling) => pulling.stop())
      .catch((thrown: unknown) => this.#parts.log.warn({ workspaceId, err: thrown }, "a queue was not let go"));
    // Where the lease is still ours it is given up, once nothing acts any more: renewed for ever, it would keep the project
    // from everybody.
    held.project
      .closePages()
      .then(() => this.#parts.leases.giveBack(workspaceId))
      .catch((thrown: unknown) => this.#parts.log.warn({ workspaceId, err: thrown }, "a lease runs out by itself"));
  }

  /** Saves the project, closes its pages and gives it back; if it cannot be saved, what was saved last stands. */
  async release(workspaceId: string): Promise<SavedProject> {
    const held = this.#projects.get(workspaceId);
    if (!held) return { workspaceId, saved: true, profiles: 0, tabs: 0, drafts: 0, reason: "It was not in use." };
    try {
      return await this.#released(held.project, await held.pulling);
    } catch (thrown) {
      // Half let go it would be nobody's: its queue is not read any more.
      this.fence(workspaceId);
      throw thrown;
    }
  }

  async #released(project: Project, pulling: Pulling): Promise<SavedProject> {
    const { workspaceId } = project;
    await pulling.stop();
    project.leaving.abort();
    project.running?.abort.abort(new HoldfastError("MCP_STOPPED", "The worker ends."));
    await within(DRAIN_MS, project.underWay);
    await this.#parts.recordings.pause(project);
    const saved = await this.#parts.states.release(project);
    await this.#parts.tables.save(project, true);
    this.#parts.tables.forget(project);
    this.#projects.delete(workspaceId);
    await project.closePages();
    await pulling.forget();
    await this.#parts.leases.giveBack(workspaceId);
    return saved;
  }

  /** What is given back is not taken again: a busy project is offered anew at once. */
  async releaseAll(): Promise<void> {
    this.#claims?.refuse();
    await Promise.allSettled([...this.#projects.keys()].map((workspaceId) => this.release(workspaceId)));
  }

  async #begin(asked: Claim, epoch: number): Promise<void> {
    const project = new Project(asked, epoch, surroundingsOf(this.#parts));
    await this.#parts.tables.load(project);
    await this.#parts.settings.load(project);
    const loaded = await this.#parts.states.load(project);
    const pulling = this.#parts.recordings
      .resume(project)
      .then(() => this.#restore(project, loaded, asked))
      .then(() => this.#pull(project));
    this.#projects.set(asked.workspaceId, { project, pulling });
    pulling.catch((thrown: unknown) => {
      this.#parts.log.error({ workspaceId: asked.workspaceId, err: thrown }, "a project's queue cannot be read");
      this.fence(asked.workspaceId);
    });
  }

  async #restore(project: Project, loaded: Loaded, asked: Claim): Promise<void> {
    const told = await this.#parts.states.restore(project, loaded, asked);
    if (!told) return;
    await report(this.#mutation, project.workspaceId, told).catch((thrown: unknown) =>
      this.#parts.log.warn({ err: thrown }, "a restore report was not heard"),
    );
  }

  async #save(workspaceId: string): Promise<SavedProject | null> {
    const held = this.#projects.get(workspaceId);
    await held?.pulling;
    return held ? this.#parts.states.save(held.project) : null;
  }

  /** Answers once the project is back, as far as it comes back by itself. */
  async #settled(workspaceId: string): Promise<{ ok: true }> {
    await this.#projects.get(workspaceId)?.pulling;
    return { ok: true };
  }

  /** What a person set for a project is another one now. */
  async #settings(workspaceId: string): Promise<{ holds: Holds | "when_used" }> {
    const held = this.#projects.get(workspaceId);
    return held ? this.#parts.settings.changed(held.project) : { holds: "when_used" };
  }

  async #pull(project: Project): Promise<Pulling> {
    const { bus, log } = this.#parts;
    if (!this.#mutation.serves(project)) {
      // It was lost while it came back, and has pages again since.
      await project.closePages();
      throw new HoldfastError("MCP_NO_WORKER", "The worker lost the project.");
    }
    const onFault = (thrown: unknown): void =>
      log.error({ workspaceId: project.workspaceId, err: thrown }, "a mutation was not handled");
    const run = ({ work: queued, ...delivery }: Delivery): Promise<RunEnd> => {
      const work = { ...queued, request: this.#parts.sealing.open(queued.request) };
      const running = mutate(this.#mutation, project, { ...delivery, work }).finally(() =>
        this.#parts.states.touch(project),
      );
      project.underWay = running;
      return running;
    };
    return pullMutations(bus, project, run, { onFault, holds: () => this.#mutation.serves(project) });
  }

  async #read(body: unknown, replyTo: string): Promise<Answer> {
    const work = { ...admitted.parse(body), replyTo };
    await this.#claims?.taking(work.workspaceId);
    const held = this.#projects.get(work.workspaceId);
    if (!held || !this.#mutation.serves(held.project)) {
      const told = failure("MCP_NO_WORKER", "The project changes its worker at this moment.", {
        workspaceId: work.workspaceId,
        moving: true,
      });
      return { ok: false, failure: told, identity: noIdentity(work.operationId) };
    }
    await held.pulling;
    const stop = new AbortController().signal;
    return operate({ project: held.project, work, stop, artifacts: this.#parts.artifacts, settled: () => undefined });
  }

  #stop(order: ReturnType<ReturnType<typeof verifier>>): StopAnswer | typeof ANSWERED_ELSEWHERE {
    if (order.kind === "shutdown") {
      this.#parts.onShutdown();
      return ANSWERED_ELSEWHERE;
    }
    const held = this.#projects.get(order.workspaceId);
    if (!held) return ANSWERED_ELSEWHERE;
    const { kind, subjectId } = order;
    const told = kind === "cancel" ? "The operation was cancelled." : "";
    const reason = new HoldfastError("MCP_STOPPED", told, { [kind]: subjectId });
    const running = kind === "cancel" ? held.project.cancel(subjectId, reason) : held.project.stop(subjectId, reason);
    const interrupted = running ? { operationId: running.work.operationId, outcome: "running" as const } : null;
    return { workerId: this.#parts.workerId, interrupted };
  }
}
