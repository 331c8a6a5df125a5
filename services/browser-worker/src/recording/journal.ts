import type { Recordings } from "@holdfast/bus";
import type { RecordingHeader } from "@holdfast/protocol";
import { appended, type Noted } from "../core/record.js";
import { CHUNK_BYTES_MAX, CHUNK_STEPS_MAX } from "../limits.js";

/**
 * Writes steps as they come, without a pause: while one write is under way the next ones gather.
 * The last chunk is written anew with each of them, since its last step may still change.
 */
export class Journal {
  readonly #store: Recordings;
  readonly #place: { readonly workspaceId: string; readonly recordingId: string };
  readonly #onFault: (thrown: unknown) => void;
  /** The chunk that grows, and the notes in it. */
  #chunk = 0;
  #notes: readonly Noted[] = [];
  /** The notes of the chunk before, to tell what a new one continues; they are written, and change no more. */
  #before: readonly Noted[] = [];
  #written = 0;
  #dirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Recordings, header: RecordingHeader, onFault: (thrown: unknown) => void) {
    this.#store = store;
    this.#place = { workspaceId: header.workspaceId, recordingId: header.recordingId };
    this.#onFault = onFault;
  }

  get steps(): number {
    return this.#written + this.#notes.length;
  }

  /** Goes on behind what was written before; nothing of that is touched. Gives the time of its last step. */
  async load(): Promise<string | null> {
    const { steps, chunks } = await this.#store.read(this.#place.workspaceId, this.#place.recordingId);
    this.#chunk = chunks;
    this.#written = steps.length;
    this.#before = steps.slice(-1).map((step) => ({ step, element: null }));
    return steps.at(-1)?.at ?? null;
  }

  add(next: Noted): void {
    if (this.#isFull(next)) this.#turn();
    const whole = appended([...this.#before, ...this.#notes], next);
    this.#notes = whole.slice(this.#before.length);
    this.#dirty = true;
    this.#write();
  }

  /** Resolves when everything that was added is stored. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /** A chunk ends between two elements, so that no letter and no double click reaches back over its end. */
  #isFull(next: Noted): boolean {
    const last = this.#notes.at(-1);
    if (!last || (next.element !== null && next.element === last.element)) return false;
    if (this.#notes.length >= CHUNK_STEPS_MAX) return true;
    return JSON.stringify(this.#notes.map(({ step }) => step)).length >= CHUNK_BYTES_MAX;
  }

  #turn(): void {
    const { steps, place } = this.#asOfNow();
    this.#dirty = false;
    this.#queue(() => this.#store.write(place, steps));
    this.#written += steps.length;
    this.#before = this.#notes;
    this.#notes = [];
    this.#chunk += 1;
  }

  #write(): void {
    this.#queue(async () => {
      if (!this.#dirty) return;
      this.#dirty = false;
      const { steps, place } = this.#asOfNow();
      await this.#store.write(place, steps);
    });
  }

  #asOfNow() {
    return { steps: this.#notes.map(({ step }) => step), place: { ...this.#place, chunk: this.#chunk } };
  }

  #queue(write: () => Promise<void>): void {
    this.#writing = this.#writing.then(write).catch(this.#onFault);
  }
}
