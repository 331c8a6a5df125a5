/** What a caller can do with a failure. */
export type Retry =
  /** Asking again changes nothing: the request itself has to change. */
  | "never"
  /** Do what `details` and the message say, then ask again. */
  | "after_change"
  /** The same request can pass later. */
  | "later"
  /** Ask again with the same `operationId`: it is safe, and gives the stored outcome if there is one. */
  | "same_operation";

interface FailureEntry {
  readonly sentence: string;
  readonly retry: Retry;
}

/** The closed list of failures. Programs branch on the code; nobody ever matches on a message. */
export const FAILURES = {
  MCP_TARGET_TAB_BUSY: {
    sentence: "The project is held at another tab: select that tab first, or ask for the cursor's.",
    retry: "after_change",
  },
  MCP_BACKGROUND_PROJECT_RUNNING: {
    sentence: "Quit is refused because projects are busy; nothing has changed.",
    retry: "later",
  },
  MCP_PROJECT_BUSY: { sentence: "Another execution holds the project.", retry: "later" },
  MCP_PROJECT_NOT_FOUND: { sentence: "There is no such project: open it with project_open.", retry: "after_change" },
  MCP_PROJECT_EXISTS: {
    sentence: "There is a project of that name already: import under another one.",
    retry: "after_change",
  },
  MCP_PROFILE_NOT_FOUND: { sentence: "The project has no such profile.", retry: "after_change" },
  MCP_TAB_NOT_FOUND: { sentence: "The project has no such tab.", retry: "after_change" },
  MCP_TAB_GONE: { sentence: "The tab was closed: open or select another one.", retry: "after_change" },
  MCP_TASK_MISMATCH: {
    sentence: "The names given do not match the current execution; nothing was touched.",
    retry: "after_change",
  },
  MCP_TASK_NOT_FOUND: { sentence: "The project has never had such a task.", retry: "never" },
  MCP_TASK_ENDED: { sentence: "The task has ended.", retry: "never" },
  MCP_TASK_NEEDS_CHECK: {
    sentence: "An operation's outcome is unknown: read the page, then say what you found with task_resolve.",
    retry: "after_change",
  },
  MCP_RECORDING_RUNNING: {
    sentence: "The project is being recorded already: stop that recording first.",
    retry: "after_change",
  },
  MCP_RECORDING_NOT_FOUND: { sentence: "The project has no such recording.", retry: "never" },
  MCP_PROGRAM_NOT_FOUND: { sentence: "The project has no such program.", retry: "never" },
  MCP_OPERATION_CONFLICT: { sentence: "That operationId was used with other arguments.", retry: "after_change" },
  MCP_OUTCOME_UNKNOWN: {
    sentence: "The operation was begun and not seen to end; it is not run again.",
    retry: "after_change",
  },
  MCP_STOPPED: { sentence: "The execution was stopped.", retry: "never" },
  MCP_DEADLINE: { sentence: "The operation did not end within its time.", retry: "later" },
  MCP_QUEUE_FULL: { sentence: "The project's queue is full.", retry: "later" },
  MCP_CLOSING: { sentence: "Holdfast is closing and takes no new work.", retry: "later" },
  MCP_NO_WORKER: { sentence: "No browser worker serves the project.", retry: "later" },
  MCP_HUMAN_HAS_CONTROL: { sentence: "A person has the project in hand.", retry: "later" },
  MCP_URL_DENIED: { sentence: "That address is not allowed.", retry: "never" },
  MCP_STALE_REF: { sentence: "The page has no such element any more: take a new snapshot.", retry: "after_change" },
  MCP_PAGE_FAILED: { sentence: "The page could not do that.", retry: "after_change" },
  MCP_PAGE_CRASHED: { sentence: "The page crashed: navigate to load it again.", retry: "after_change" },
  MCP_DIALOG_OPEN: {
    sentence: "A dialog is open on the page: answer it with browser_handle_dialog.",
    retry: "after_change",
  },
  MCP_BAD_ARGUMENTS: { sentence: "The arguments are not of the operation's form.", retry: "never" },
  MCP_UNAUTHORIZED: { sentence: "The bearer token is missing or wrong.", retry: "never" },
  MCP_BUS_DOWN: { sentence: "The message bus did not answer.", retry: "same_operation" },
  MCP_INTERNAL: { sentence: "Holdfast itself failed; its log has the cause.", retry: "same_operation" },
} as const satisfies Record<string, FailureEntry>;

export type FailureCode = keyof typeof FAILURES;

export const FAILURE_CODES = Object.keys(FAILURES) as FailureCode[];

/** A failure as it travels. `details` is for programs, `message` for people. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retry: Retry;
}

/**
 * @param message what happened here, when the code's own sentence does not say enough
 */
export function failure(code: FailureCode, message = "", details: Record<string, unknown> = {}): Failure {
  return { code, message: message || FAILURES[code].sentence, details, retry: FAILURES[code].retry };
}

/** Carries a failure through code that throws; turned back into a value at the edge of each process. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly failure: Failure;

  constructor(code: FailureCode, message = "", details: Record<string, unknown> = {}, options?: ErrorOptions) {
    const value = failure(code, message, details);
    super(value.message, options);
    this.failure = value;
  }
}

/** Any thrown thing as a failure. What is not ours becomes `MCP_INTERNAL`: a fault of Holdfast, never hidden. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof HoldfastError) return thrown.failure;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return failure("MCP_INTERNAL", message);
}
