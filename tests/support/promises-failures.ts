import { ofStep } from "./promise.js";

export const failover = ofStep(3, {
  "failover.worker-killed":
    "when a worker is killed its project is back on another one with tabs, addresses and cursor, and its task goes on",
  "failover.needs-check":
    "after a loss the task stands at needs_check with the operation named; reads work, changes are refused until task_resolve",
  "failover.queue-waits":
    "what was queued behind a lost operation waits for the verdict on it, and then runs in order, once",
  "failover.verdict": "the record shows who said what of an operation whose end was not seen",
  "failover.no-task": "an unknown operation that was for no task holds nobody up, and takes a verdict all the same",
  "failover.paused-worker": "a worker that was stopped in the middle of a click and wakes up changes nothing",
  "failover.never-begun":
    "an operation that was handed to a worker that never began it runs on another one, and is not called unknown",
  "failover.no-worker": "with no worker a call is MCP_NO_WORKER within seconds, and passes once one comes",
  "failover.task-control":
    "when task-control is killed in the middle of the work nothing is lost and nothing is done twice",
  "failover.gateway": "a session of an older client lives through a kill of the gateway, at the same address",
  "failover.other-gateway": "a session that was begun at one gateway goes on at another",
  "failover.idle": "an idle project whose worker was killed is brought back when it is used, and not before",
});

export const ledger = ofStep(3, {
  "ledger.cut-connections":
    "connections that are cut between effect and answer, asked again by the same id, run nothing twice",
  "ledger.no-secrets": "what was typed into a field is nowhere in the ledger, though its answer shows the page",
});

export const busTrouble = ofStep(3, {
  "bus.killed": "an operation under way when the server is killed ends once, and its asker hears how",
  "bus.away":
    "with the bus away calls are MCP_BUS_DOWN within their time, and nothing is lost or doubled when it is back",
  "bus.stop": "a stop while the bus is away is told as not delivered, and passes when it is back",
  "bus.facts": "who follows facts through restarts of the server hears each of them once, in order",
});

export const chaos = ofStep(3, {
  "chaos.holds":
    "while processes are killed, stopped and cut off at random no effect is doubled, lost or in another project's tab",
});
