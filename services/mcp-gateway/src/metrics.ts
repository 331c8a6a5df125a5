import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { GateKeeper } from "./gate-keeper.js";

export interface Metrics {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

export function openMetrics(gate: GateKeeper): Metrics {
  const registry = new Registry();
  // The event loop's delay is in here: it is the stop's latency.
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "holdfast_calls_inside",
    help: "Calls that are not answered yet.",
    registers: [registry],
    collect() {
      this.set(gate.inside);
    },
  });
  return { contentType: registry.contentType, text: () => registry.metrics() };
}
