import { failure, noIdentity } from "@holdfast/protocol";
import { enter, type Gate, leave, OPEN, shut } from "./core/gate.js";
import { type Presented, presentFailure } from "./present.js";

/** Keeps the gate: lets calls pass, and at the end waits for those inside. */
export class GateKeeper {
  #gate: Gate = OPEN;
  #closed: () => void = () => undefined;

  async pass(run: () => Promise<Presented>): Promise<Presented> {
    const entered = enter(this.#gate);
    if (!entered) return presentFailure(failure("MCP_CLOSING"), noIdentity(""));
    this.#gate = entered;
    try {
      return await run();
    } finally {
      this.#move(leave(this.#gate));
    }
  }

  get state(): Gate["state"] {
    return this.#gate.state;
  }

  get inside(): number {
    return this.#gate.inside;
  }

  /** Resolves when the last call inside is answered. */
  shut(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = resolve;
      this.#move(shut(this.#gate));
    });
  }

  #move(gate: Gate): void {
    this.#gate = gate;
    if (gate.state === "closed") this.#closed();
  }
}
