import type {
  ExecutionKind,
  Fact,
  Failure,
  NewTabPolicy,
  OperationOutcome,
  Profile,
  Verdict,
} from "@holdfast/protocol";
import type { Execution, Pending, ProjectState, TabOfProfile } from "./state.js";

/** Whether the tab that was named is one of the project's. Looked up only where the answer depends on it. */
export type TabKnown = "known" | "unknown" | "unchecked";

/** All that can happen to a project. `at` is ISO 8601: time comes in, it is never read. */
export type Input = { readonly at: string } & (
  | { readonly input: "open"; readonly profiles: readonly Profile[]; readonly newTab: NewTabPolicy | null }
  | { readonly input: "close" }
  | ({ readonly input: "read" } & Read)
  | ({ readonly input: "mutate" } & Mutation)
  | ({ readonly input: "start" } & Start)
  | {
      readonly input: "finish";
      readonly taskId: string;
      readonly state: "finished" | "failed";
      readonly result: string | null;
    }
  | { readonly input: "stop"; readonly profileId: string; readonly executionId: string }
  /** The worker answered the stop, or there is none: what it had under way, if anything. */
  | { readonly input: "stop_seen"; readonly executionId: string; readonly interrupted: Interrupted | null }
  | ({ readonly input: "ended" } & EndSeen)
  /** The cursor's tab closed outside of any operation, and the cursor went back. */
  | { readonly input: "cursor"; readonly cursor: TabOfProfile | null }
  | ({ readonly input: "resolve" } & Resolution)
  /** A run cannot go on by itself: it does not guess. */
  | { readonly input: "ask"; readonly executionId: string }
  | { readonly input: "answered"; readonly executionId: string }
  | { readonly input: "quit_ask"; readonly quitId: string }
  | { readonly input: "quit_release"; readonly quitId: string }
  | { readonly input: "quit_close"; readonly quitId: string }
  /** The stack starts: a quit of the run before is over. */
  | { readonly input: "restart" }
);

export type InputName = Input["input"];
export type InputOf<N extends InputName> = Extract<Input, { input: N }>;

export const INPUTS: readonly InputName[] = [
  "open",
  "close",
  "read",
  "mutate",
  "start",
  "finish",
  "stop",
  "stop_seen",
  "ended",
  "cursor",
  "resolve",
  "ask",
  "answered",
  "quit_ask",
  "quit_release",
  "quit_close",
  "restart",
];

/** What somebody found who looked, and who he is. */
export interface Resolution {
  /** Null: the operation was no task's. */
  readonly taskId: string | null;
  readonly operationId: string;
  readonly verdict: Verdict;
  readonly by?: string | undefined;
}

export interface Interrupted {
  readonly operationId: string;
  readonly outcome: OperationOutcome;
}

export interface Read {
  readonly profileId: string | null;
  readonly tabId: string | null;
  readonly tabKnown: TabKnown;
  readonly ofProject: boolean;
}

export interface Mutation {
  readonly operationId: string;
  readonly operation: string;
  readonly fingerprint: string;
  readonly taskId: string | null;
  readonly profileId: string | null;
  readonly tabId: string | null;
  readonly tabKnown: TabKnown;
  /** It moves the cursor to the tab it names. */
  readonly selectsTab: boolean;
  /** It is about the project's tabs as a whole. */
  readonly ofProject: boolean;
  /** What the call says of new tabs; null: as its task or the project says. */
  readonly newTab: NewTabPolicy | null;
}

export interface Start {
  readonly kind: ExecutionKind;
  readonly id: string;
  readonly profileId: string;
  readonly goal: string;
  readonly owner: string;
  readonly newTab: NewTabPolicy | null;
}

export interface EndSeen {
  readonly operationId: string;
  readonly operation: string;
  readonly taskId: string | null;
  readonly tabId: string | null;
  readonly outcome: OperationOutcome;
  /** Where it took the cursor; undefined: nowhere. */
  readonly cursor?: TabOfProfile | null | undefined;
}

/** What is to be done once a decision stands, in the order abort, save, publish, reply. */
export type Effect =
  | { readonly effect: "abort"; readonly executionId: string; readonly discarded: readonly Pending[] }
  | {
      readonly effect: "enqueue";
      readonly mutation: Mutation;
      readonly profileId: string;
      readonly newTab: NewTabPolicy;
      readonly generation: number;
      /** The project has no cursor, whatever its worker still has as one. */
      readonly cursorless: boolean;
    }
  | { readonly effect: "tell"; readonly fact: Fact };

/** What the asker is told. */
export type Reply =
  | { readonly reply: "refused"; readonly failure: Failure }
  /** The quit's verdict is a matter of milliseconds: ask again when the project's state has changed. */
  | { readonly reply: "wait" }
  | { readonly reply: "admitted"; readonly profileId: string; readonly tabId: string | null }
  /** The operation is queued or under way already: the asker may wait for it too. */
  | { readonly reply: "attached" }
  | { readonly reply: "execution"; readonly execution: Execution }
  | { readonly reply: "done" };

export interface Decision {
  readonly next: ProjectState;
  readonly effects: readonly Effect[];
  readonly reply: Reply;
}
