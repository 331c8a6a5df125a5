import { type Bus, followFacts } from "@holdfast/bus";
import type { FactRecord } from "@holdfast/protocol";
import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { Logger } from "pino";

const SCHEME = "holdfast://project/";

/** A project as a resource: what project_status tells. Whoever listens to it is told when it changed. */
export function projectUri(workspaceId: string): string {
  return SCHEME + workspaceId;
}

/** The project that an address names; empty if it is no project's. */
export function projectOf(uri: string): string {
  return uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : "";
}

/** Facts of which a client that listens to a project is told. Ends of operations are not: their askers know. */
const TOLD: readonly FactRecord["fact"]["fact"][] = [
  "project.opened",
  "project.closed",
  "cursor.moved",
  "view.moved",
  "tab.opened",
  "tab.ready",
  "tab.closed",
  "execution.moved",
  "project.restored",
];

/**
 * Facts as MCP's notices, for clients of either era that listen: a project's resource was updated.
 * The facts are followed while somebody listens, and not else.
 */
export class Notices implements ServerEventBus {
  readonly #bus: Bus;
  readonly #log: Logger;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  #following: Promise<{ stop: () => Promise<void> }> | null = null;

  constructor(bus: Bus, log: Logger) {
    this.#bus = bus;
    this.#log = log;
  }

  publish(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#following ??= this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      const following = this.#following;
      this.#following = null;
      void following?.then((follower) => follower.stop());
    };
  }

  #follow(): Promise<{ stop: () => Promise<void> }> {
    const following = followFacts(this.#bus, {}, ({ fact, workspaceId }) => {
      if (TOLD.includes(fact.fact)) this.publish({ kind: "resource_updated", uri: projectUri(workspaceId) });
    });
    following.catch((thrown: unknown) => {
      this.#following = null;
      this.#log.error({ err: thrown }, "the facts cannot be followed; nobody who listens is told");
    });
    return following;
  }
}
