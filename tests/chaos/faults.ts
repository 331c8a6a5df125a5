import type { TestStack } from "@holdfast/testkit";
import { findBrowser } from "../support/faults.js";
import type { Fault } from "./plan.js";
import type { Wire } from "./proxy.js";

export interface Faults {
  /** What was done, by kind and child. */
  readonly done: ReadonlyMap<string, number>;
  /** Ends what is still going on: everything is thawed and mended. */
  readonly stop: () => void;
}

/** Does to a stack what the plan says, when it says so. */
export function inflict(stack: TestStack, plan: readonly Fault[], wires: ReadonlyMap<string, Wire>): Faults {
  const done = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const remedies = new Set<() => void>();
  const later = (ms: number, act: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  };
  const doFault = (fault: Fault): void => {
    const remedy = begin(stack, fault, wires);
    if (!remedy) return;
    const name = `${fault.kind} ${fault.child.replace(/-\d+$/, "")}`;
    done.set(name, (done.get(name) ?? 0) + 1);
    remedies.add(remedy);
    later(fault.forMs, () => {
      remedies.delete(remedy);
      remedy();
    });
  };
  for (const fault of plan) later(fault.at, () => doFault(fault));
  return {
    done,
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      for (const remedy of remedies) remedy();
      remedies.clear();
    },
  };
}

/** Begins a fault and gives what ends it; null when the child has no life at this moment. */
function begin(stack: TestStack, { kind, child }: Fault, wires: ReadonlyMap<string, Wire>): (() => void) | null {
  if (kind === "cut" || kind === "hang") {
    const wire = wires.get(child);
    wire?.[kind]();
    return () => wire?.mend();
  }
  const running = stack.stack.children.find(({ name, state }) => name === child && state === "running")?.pid;
  const pid = running && (kind === "kill" || kind === "freeze" ? running : findBrowser(running));
  if (!pid) return null;
  const freezes = kind.startsWith("freeze");
  signal(pid, freezes ? "SIGSTOP" : "SIGKILL");
  return () => freezes && signal(pid, "SIGCONT");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    // It has ended by itself at this very moment.
    if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
  }
}
