import { type Bus, openBucket } from "@holdfast/bus";
import { z } from "zod";
import { QUIT_ASK_MS } from "./core/state.js";
import { VERDICT_WAIT_MS } from "./limits.js";

const quitMark = z.object({ quitId: z.string(), phase: z.enum(["asked", "closing"]), at: z.string() });
type Mark = z.infer<typeof quitMark>;

const KEY = "quit";

/**
 * Says that somebody asks to quit. A quit asks every project that there is; this holds back those that there are not yet:
 * a project is stored shut, and is opened only by one who has found no mark after that. Either the quit finds the
 * project, or the opener finds the mark.
 */
export interface QuitMark {
  /** False if somebody else's stands; then his verdict is in. */
  readonly raise: (quitId: string) => Promise<boolean>;
  /** The quit was granted: the mark stays until the next start. */
  readonly close: (quitId: string) => Promise<void>;
  /** Takes one's own back; with no id, whichever stands. */
  readonly lower: (quitId?: string) => Promise<void>;
  /** Waits for the verdict, if somebody asks. `closing`: nothing new begins. */
  readonly verdict: () => Promise<"none" | "closing">;
}

export async function openQuitMark(bus: Bus, now: () => Date): Promise<QuitMark> {
  const bucket = await openBucket<Mark>(bus, { name: "HF_QUIT" }, quitMark);
  const isVoid = ({ phase, at }: Mark): boolean => phase === "asked" && now().getTime() - Date.parse(at) >= QUIT_ASK_MS;
  const verdict = async (): Promise<"none" | "closing"> => {
    const before = (await bucket.get(KEY))?.value;
    if (!before || isVoid(before)) return "none";
    if (before.phase === "asked") await changed(bucket);
    const after = (await bucket.get(KEY))?.value;
    return after?.phase === "closing" ? "closing" : "none";
  };
  return {
    verdict,
    raise: async (quitId) => {
      const mark: Mark = { quitId, phase: "asked", at: now().toISOString() };
      const standing = await bucket.get(KEY);
      if (standing && !isVoid(standing.value)) return false;
      const raised = standing ? bucket.update(KEY, mark, standing.revision) : bucket.create(KEY, mark);
      return (await raised) !== null;
    },
    close: async (quitId) => {
      const standing = await bucket.get(KEY);
      if (standing?.value.quitId === quitId)
        await bucket.update(KEY, { ...standing.value, phase: "closing" }, standing.revision);
    },
    lower: async (quitId) => {
      const standing = await bucket.get(KEY);
      if (standing && (quitId ?? standing.value.quitId) === standing.value.quitId)
        await bucket.remove(KEY, standing.revision);
    },
  };
}

/** Resolves when no ask stands any more, or after `VERDICT_WAIT_MS`. */
async function changed(bucket: Awaited<ReturnType<typeof openBucket<Mark>>>): Promise<void> {
  let settle: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const watching = await bucket.watch((_key, entry) => {
    if (entry?.value.phase !== "asked") settle();
  }, KEY);
  const timer = setTimeout(settle, VERDICT_WAIT_MS);
  await settled;
  clearTimeout(timer);
  watching.stop();
}
