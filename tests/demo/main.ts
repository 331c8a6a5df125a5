import { setMaxListeners } from "node:events";
import { startPageServer, startTestStack } from "@holdfast/testkit";
import { leavesAndReturns, quitPasses, quitRefused, stopOvertakes } from "./lifetimes.js";
import { agentIn, type Scene } from "./scene.js";
import { end, says, title } from "./story.js";
import { bothWork, viewMoves, wrongTabRefused } from "./working.js";

// Hundreds of calls wait on one connection here, each with its listener.
setMaxListeners(0);

/** `npm run demo`: the main job on local pages. What it says it has looked at first; else it ends with an error. */
const startedAt = performance.now();
title("Holdfast, with a real nats-server, a real Chromium and real MCP clients, on pages of this machine.");
const stack = await startTestStack();
const site = await startPageServer();
try {
  says("holdfast", `runs: ${stack.stack.children.map(({ name }) => name).join(", ")}`);
  const scene: Scene = {
    stack,
    site,
    // One speaks the protocol that agents have had until 2026, the other the current one.
    anna: await agentIn(await stack.client(), "anna", "shop-a"),
    bert: await agentIn(await stack.modernClient(), "bert", "shop-b"),
  };
  for (const part of [bothWork, viewMoves, wrongTabRefused, stopOvertakes, leavesAndReturns, quitRefused, quitPasses])
    await part(scene);
  end(startedAt);
} finally {
  await stack.stop();
  await site.close();
}
