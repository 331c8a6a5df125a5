import { call, connectBus } from "@holdfast/bus";
import { operationNamed } from "@holdfast/protocol";

interface Told {
  readonly name: string;
  readonly ok: boolean;
  readonly told: string;
}

const NAME = "state key";

/** Whether saved profiles are encrypted: as the workers of a stack that runs say, else as the next start would do it. */
export async function stateKey(natsUrl: string | null): Promise<Told> {
  if (natsUrl === null) {
    const set = Boolean(process.env.HOLDFAST_STATE_KEY);
    const told = set
      ? "HOLDFAST_STATE_KEY is set: saved profiles will be encrypted"
      : "HOLDFAST_STATE_KEY is not set: saved profiles will not be encrypted";
    return { name: NAME, ok: true, told };
  }
  try {
    return { name: NAME, ok: true, told: await askWorkers(natsUrl) };
  } catch (thrown) {
    return { name: NAME, ok: false, told: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function askWorkers(natsUrl: string): Promise<string> {
  const bus = await connectBus({ url: natsUrl, name: "holdfast-doctor" });
  try {
    const answer = await call(bus, operationNamed("system_status"), {}, { caller: "cli" });
    if (!answer.ok) return `unknown: ${answer.failure.message}`;
    const { workers } = answer.result as { workers: readonly { workerId: string; stateEncrypted: boolean }[] };
    const open = workers.filter(({ stateEncrypted }) => !stateEncrypted).map(({ workerId }) => workerId);
    if (open.length === 0) return "saved profiles are encrypted";
    return `saved profiles are not encrypted by ${open.join(", ")}: start with HOLDFAST_STATE_KEY set`;
  } finally {
    await bus.drain();
  }
}
