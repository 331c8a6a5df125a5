import type { ExitCode } from "../exit-codes.js";

/** How a command tells with which code the program ends. */
export type Ended = (code: ExitCode) => void;
