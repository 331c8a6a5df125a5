import { setMaxListeners } from "node:events";
import { PERSON_ENV, startPageServer, startTestStack } from "@holdfast/testkit";
import { CASES } from "./cases.js";
import { measure, warmUp } from "./measure.js";
import { RawSide } from "./raw-side.js";
import { recordingCost } from "./recording.js";
import { stopBehindQueue, stopBlockedPage } from "./stops.js";
import { newTabKnown } from "./tabs.js";
import { FEW_AWAKE, wake } from "./wake.js";

// Hundreds of calls wait on one connection here, each with its listener.
setMaxListeners(0);

/** Rounds of each call, and of each stop. */
const ROUNDS = Number(process.env.HOLDFAST_BENCH_ROUNDS ?? 40);
const STOP_ROUNDS = Number(process.env.HOLDFAST_BENCH_STOPS ?? 10);
const WORKSPACE = "bench";

const stack = await startTestStack({ env: { ...PERSON_ENV, ...FEW_AWAKE } });
const pages = await startPageServer();
const raw = await RawSide.start();
try {
  const client = await stack.client(WORKSPACE);
  await warmUp({ raw, client, url: pages.url("/form") });
  console.log(
    `${"call".padEnd(28)}${"raw ms".padStart(9)}${"Holdfast".padStart(10)}${"plus".padStart(8)}${"ratio".padStart(8)}   target`,
  );
  for (const one of CASES) {
    const { name, rawMs, holdfastMs, reached, target } = await measure(one, { raw, client, url: pages.url }, ROUNDS);
    const plus = holdfastMs - rawMs;
    const row = [
      rawMs.toFixed(1).padStart(9),
      holdfastMs.toFixed(1).padStart(10),
      plus.toFixed(1).padStart(8),
      (holdfastMs / rawMs).toFixed(2).padStart(8),
    ];
    console.log(`${name.padEnd(28)}${row.join("")}   ${target}: ${reached ? "reached" : "MISSED"}`);
  }
  const stopper = await stack.client(WORKSPACE);
  for (const stop of [stopBlockedPage, stopBehindQueue]) {
    const { name, p50Ms, p99Ms, target, reached } = await stop(client, stopper, WORKSPACE, STOP_ROUNDS);
    console.log(
      `${name.padEnd(34)}p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms   ${target}: ${reached ? "reached" : "MISSED"}`,
    );
  }
  console.log(await newTabKnown(stack, pages));
  console.log(await wake(stack, pages));
  for (const line of await recordingCost(stack, pages)) console.log(line);
} finally {
  raw.close();
  await pages.close();
  await stack.stop();
}
