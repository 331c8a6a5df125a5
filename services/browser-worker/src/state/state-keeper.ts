import { createHash } from "node:crypto";
import type { Artifacts, Bucket } from "@holdfast/bus";
import { HoldfastError, type SavedEntry, type SavedProject, type StatePointer } from "@holdfast/protocol";
import { adopted, dropped, FIRST, freeName, type Origin, slotNames, switched } from "../core/pointer.js";
import { ADOPT_TRIES_MAX, STATE_BYTES_MAX } from "../limits.js";
import type { Project } from "../project.js";
import { collect, type Kept, type KeptProfile, type SavedState, savedState } from "./saved-state.js";
import { type Cipher, StateUnreadable } from "./state-cipher.js";

export interface StateParts {
  readonly store: Artifacts;
  readonly pointers: Bucket<StatePointer>;
  readonly cipher: Cipher;
  readonly onFault: (thrown: unknown) => void;
  /** Somebody else switched: the project is his. */
  readonly lost: (project: Project) => void;
}

/** What was found when a project was taken. */
export interface Loaded {
  readonly state: SavedState | null;
  readonly encrypted: boolean;
  /** Sentences about what could not be read. */
  readonly unreadable: readonly string[];
}

interface Session {
  pointer: StatePointer;
  revision: number;
  readonly origin: Origin;
  readonly kept: Kept;
  /** Saves follow each other, each on the pointer of the one before. */
  saving: Promise<unknown>;
}

/** Saves projects and takes them up again: written beside, then switched, and never over what was verified. */
export class StateKeeper {
  readonly #parts: StateParts;
  readonly #sessions = new WeakMap<Project, Session>();

  constructor(parts: StateParts) {
    this.#parts = parts;
  }

  get encrypts(): boolean {
    return this.#parts.cipher.encrypts;
  }

  /** Takes over what was saved; nothing of it is in a browser yet. @throws HoldfastError `MCP_NO_WORKER` to a fenced worker */
  async load(project: Project): Promise<Loaded> {
    const { pointer, revision, before } = await this.#adopt(project);
    const { loaded, origin } = await this.#read(pointer);
    this.#sessions.set(project, { pointer, revision, origin, kept: new Map(), saving: Promise.resolve() });
    for (const { profileId, storage } of loaded.state?.profiles ?? []) project.profiles.saved.set(profileId, storage);
    for (const page of loaded.state?.pages ?? []) project.savedPages.set(page.tabId, page);
    this.#sweep(project.workspaceId, before, pointer).catch(this.#parts.onFault);
    return loaded;
  }

  /** What is in the browser now is less than was saved: until it is there again, saves of it stand aside. */
  distrust(project: Project, profileId: string, verified: KeptProfile): void {
    this.#sessions.get(project)?.kept.set(profileId, verified);
  }

  /** A look has shown that the profile is what it was. */
  trust(project: Project, profileId: string): void {
    this.#sessions.get(project)?.kept.delete(profileId);
  }

  distrusted(project: Project): string[] {
    return [...(this.#sessions.get(project)?.kept.keys() ?? [])];
  }

  /** @throws HoldfastError `MCP_NO_WORKER` when the project is somebody else's by now, `MCP_BUS_DOWN` */
  save(project: Project): Promise<SavedProject> {
    const session = this.#sessions.get(project);
    if (!session) throw fenced(project);
    const saved = session.saving.then(() => this.#save(project, session));
    session.saving = saved.catch(() => undefined);
    return saved;
  }

  async #save(project: Project, session: Session): Promise<SavedProject> {
    const { store, cipher, pointers, onFault } = this.#parts;
    const { state, told } = await collect(project, session.kept);
    const data = await cipher.seal(new TextEncoder().encode(JSON.stringify(state)));
    if (data.length > STATE_BYTES_MAX) return { ...told, saved: false, reason: tooLarge(data.length) };
    const name = freeName(project.workspaceId, project.epoch, session.pointer);
    await store.put(name, "application/octet-stream", data);
    const entry = {
      name,
      savedAt: state.savedAt,
      bytes: data.length,
      sha256: digest(data),
      encrypted: cipher.encrypts,
    };
    const next = switched(session.pointer, entry, { epoch: project.epoch, origin: session.origin });
    const revision = next && (await pointers.update(project.workspaceId, next, session.revision));
    if (next === null || revision === null) {
      this.#parts.lost(project);
      throw fenced(project);
    }
    const gone = dropped(session.pointer, next);
    Object.assign(session, { pointer: next, revision });
    Promise.all(gone.map((each) => store.remove(each))).catch(onFault);
    if (session.origin.trusted) return told;
    return { ...told, reason: "It is kept beside the state that was saved before, which could not be read." };
  }

  async #adopt(project: Project): Promise<{ pointer: StatePointer; revision: number; before: StatePointer }> {
    const { pointers } = this.#parts;
    for (let tries = 0; tries < ADOPT_TRIES_MAX; tries += 1) {
      const entry = await pointers.get(project.workspaceId);
      const before = entry?.value ?? FIRST;
      if (before.epoch > project.epoch) break;
      const pointer = adopted(before, project.epoch);
      const revision = entry
        ? await pointers.update(project.workspaceId, pointer, entry.revision)
        : await pointers.create(project.workspaceId, pointer);
      if (revision !== null) return { pointer, revision, before };
    }
    throw fenced(project);
  }

  async #read({ current, previous, aside }: StatePointer): Promise<{ loaded: Loaded; origin: Origin }> {
    const unreadable: string[] = [];
    const take = async (entry: SavedEntry | null, what: string): Promise<SavedState | "locked" | null> => {
      if (!entry) return null;
      try {
        return await this.#open(entry);
      } catch (thrown) {
        if (!(thrown instanceof StateUnreadable)) throw thrown;
        unreadable.push(`${what}, of ${entry.savedAt}, could not be read. ${thrown.message}`);
        return thrown.why === "locked" ? "locked" : null;
      }
    };
    const found = (entry: SavedEntry | null, state: SavedState | null, origin: Origin) => ({
      loaded: { state, encrypted: entry?.encrypted ?? this.encrypts, unreadable },
      origin,
    });
    const newest = await take(current, "The saved state");
    if (newest === "locked") {
      const beside = await take(aside, "The state that was saved beside it");
      return found(aside, beside === "locked" ? null : beside, { trusted: false, skippedCurrent: false });
    }
    if (newest) return found(current, newest, { trusted: true, skippedCurrent: false });
    const older = await take(previous, "The state before that");
    const trusted = older !== "locked";
    return found(previous, older === "locked" ? null : older, { trusted, skippedCurrent: current !== null });
  }

  /** @throws StateUnreadable */
  async #open(entry: SavedEntry): Promise<SavedState> {
    const data = await this.#parts.store.get(entry.name);
    if (!data) throw new StateUnreadable("broken", "It is not in the store.");
    if (digest(data) !== entry.sha256) throw new StateUnreadable("broken", "It is not what was written.");
    const text = new TextDecoder().decode(await this.#parts.cipher.open(data));
    const parsed = savedState.safeParse(JSON.parse(text));
    if (!parsed.success) throw new StateUnreadable("broken", "It has another form.");
    const { tabIds } = entry;
    if (!tabIds) return parsed.data;
    const pages = parsed.data.pages.flatMap((page) => {
      const tabId = tabIds[page.tabId];
      return tabId === undefined ? [] : [{ ...page, tabId }];
    });
    return { ...parsed.data, pages };
  }

  /** What an epoch before wrote and never switched to, because its worker died in between. */
  async #sweep(workspaceId: string, before: StatePointer, now: StatePointer): Promise<void> {
    if (before.epoch === 0) return;
    const kept = [now.current, now.previous, now.aside].map((entry) => entry?.name);
    for (const name of slotNames(workspaceId, before.epoch))
      if (!kept.includes(name)) await this.#parts.store.remove(name);
  }
}

function digest(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("base64url");
}

function fenced({ workspaceId }: Project): HoldfastError {
  return new HoldfastError("MCP_NO_WORKER", "Another worker has the project: nothing of it is saved here.", {
    workspaceId,
  });
}

function tooLarge(bytes: number): string {
  return `Its state has ${bytes} bytes; ${STATE_BYTES_MAX} are allowed. What was saved last stands.`;
}
