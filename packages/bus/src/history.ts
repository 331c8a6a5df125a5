import { type HistoryEntry, type HistoryRecord, HoldfastError, historyEntry, wire } from "@holdfast/protocol";
import { HISTORY } from "./assets.js";
import { decode, encode } from "./codec.js";
import { type Bus, manager } from "./connect.js";
import { FIRST_READ_MS, HISTORY_PER_PROJECT_MAX } from "./limits.js";
import { hasCode } from "./server-code.js";

/** The server's code for: there is no such message. */
const NO_MESSAGE = 10_037;

/** Adds an operation to its project's record. Told twice, it is there once. */
export async function addHistory(bus: Bus, workspaceId: string, entry: HistoryEntry): Promise<void> {
  const msgID = `${workspaceId}.${entry.operationId}.${entry.outcome}`;
  await bus.js.publish(wire.history(workspaceId), encode(entry), { msgID });
}

/**
 * All that the record of one project still has, oldest first. It is bounded by `HISTORY_PER_PROJECT_MAX`.
 * @throws HoldfastError `MCP_BUS_DOWN` when it does not come to its end within `FIRST_READ_MS`
 */
export async function readHistory(bus: Bus, workspaceId: string): Promise<HistoryRecord[]> {
  const last = await lastSequence(bus, wire.history(workspaceId));
  if (last === null) return [];
  // No deliver_policy and one filter alone: with either, this client hangs for ever on an ordered consumer.
  const consumer = await bus.js.consumers.get(HISTORY, { opt_start_seq: 1, filterSubjects: wire.history(workspaceId) });
  const messages = await consumer.fetch({ max_messages: HISTORY_PER_PROJECT_MAX, expires: FIRST_READ_MS });
  const records: HistoryRecord[] = [];
  for await (const message of messages) {
    records.push({ ...decode(historyEntry, message.data), sequence: message.seq });
    if (message.seq >= last) return records;
  }
  throw new HoldfastError("MCP_BUS_DOWN", "The record was not told to its end.", { workspaceId, read: records.length });
}

async function lastSequence(bus: Bus, subject: string): Promise<number | null> {
  const jsm = await manager(bus);
  try {
    return (await jsm.streams.getMessage(HISTORY, { last_by_subj: subject })).seq;
  } catch (thrown) {
    if (hasCode(thrown, NO_MESSAGE)) return null;
    throw thrown;
  }
}
