import { CREATE_RETRY_MS, CREATE_TRIES_MAX } from "./limits.js";
import { pause } from "./pause.js";
import { hasCode } from "./server-code.js";

/** The server's code for a stream whose subjects another one has: also for the same stream while somebody else creates it. */
const SUBJECTS_OVERLAP = 10_065;

/** Creates a stream or a bucket, or finds it there: two replicas that start at once may meet in the middle of it. */
export async function created<T>(create: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await create();
    } catch (thrown) {
      if (!hasCode(thrown, SUBJECTS_OVERLAP) || tries >= CREATE_TRIES_MAX) throw thrown;
    }
    await pause(CREATE_RETRY_MS);
  }
}
