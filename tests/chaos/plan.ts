import type { Random } from "./random.js";

export type FaultKind = "kill" | "freeze" | "kill browser of" | "freeze browser of" | "cut" | "hang";

/** One fault: what is done to which child, when, and for how long. Times in ms from the beginning. */
export interface Fault {
  readonly at: number;
  readonly kind: FaultKind;
  readonly child: string;
  readonly forMs: number;
}

export const WORKERS = ["browser-worker", "browser-worker-2", "browser-worker-3", "browser-worker-4"] as const;
const CONTROLS = ["task-control", "task-control-2"] as const;
const GATEWAYS = ["mcp-gateway", "mcp-gateway-2"] as const;

/** ms between two faults. A lease runs out after 10 s, so some come before the last one is over. */
const PAUSE_MS = [400, 3_000] as const;
/** The supervisor gives a child up that dies more often than five times within a minute: that is another test. */
const KILLS_PER_MINUTE = 4;
const MINUTE_MS = 60_000;

/** All faults of a run, chosen beforehand: what the run does to them changes nothing of it. */
export function planOf(random: Random, lastsMs: number): Fault[] {
  const plan: Fault[] = [];
  for (let at = random.whole(500, 1_500); at < lastsMs; at += random.whole(...PAUSE_MS)) {
    const fault = { at, ...faultOf(random) };
    const kills = plan.filter(
      (other) => other.kind === "kill" && other.child === fault.child && at - other.at < MINUTE_MS,
    );
    const again = plan.some((other) => other.child === fault.child && other.at + other.forMs > at);
    if (!again && (fault.kind !== "kill" || kills.length < KILLS_PER_MINUTE)) plan.push(fault);
  }
  return plan;
}

function faultOf(random: Random): Omit<Fault, "at"> {
  const chance = random.next();
  if (chance < 0.2) return { kind: "kill", child: random.pick(WORKERS), forMs: 0 };
  if (chance < 0.33) return { kind: "kill", child: random.pick(CONTROLS), forMs: 0 };
  if (chance < 0.42) return { kind: "kill", child: random.pick(GATEWAYS), forMs: 0 };
  if (chance < 0.48) return { kind: "kill", child: "nats-server", forMs: 0 };
  if (chance < 0.56) return { kind: "kill browser of", child: random.pick(WORKERS), forMs: 0 };
  // Longer than a lease now and then, so that the project is somebody else's when it wakes up.
  if (chance < 0.7) return { kind: "freeze", child: random.pick(WORKERS), forMs: random.whole(500, 14_000) };
  if (chance < 0.77) return { kind: "freeze", child: random.pick(CONTROLS), forMs: random.whole(500, 8_000) };
  if (chance < 0.81) return { kind: "freeze", child: random.pick(GATEWAYS), forMs: random.whole(500, 3_000) };
  // Longer than its worker waits for it now and then.
  if (chance < 0.87) return { kind: "freeze browser of", child: random.pick(WORKERS), forMs: random.whole(500, 9_000) };
  const kind = chance < 0.94 ? "cut" : "hang";
  return { kind, child: random.pick(WORKERS), forMs: random.whole(500, 13_000) };
}
