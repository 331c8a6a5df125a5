import {
  COMMON_FAILURES,
  catalogue,
  FAILURE_CODES,
  FAILURES,
  type FailureCode,
  type Operation,
  type Retry,
} from "@holdfast/protocol";
import { code, codes, generated, page, table } from "./markdown.js";

const RETRY: Readonly<Record<Retry, string>> = {
  never: "Asking again changes nothing: the request itself has to change.",
  after_change: "Do what the message and the details say, then ask again.",
  later: "The same request can pass later.",
  same_operation: "Ask again with the same operation id: nothing runs twice.",
};

/** The closed list of failures: the sentence of each, what a caller can do, and who can meet it. */
export function failuresPage(): string {
  const rows = FAILURE_CODES.map((name) => [
    code(name),
    FAILURES[name].sentence,
    code(FAILURES[name].retry),
    metBy(name),
  ]);
  return page(
    generated("Failures", "`packages/protocol/src/failures.ts`"),
    "A failure is a value: `{ code, message, details, retry }`. The list of codes is closed. Programs branch on the code and on `retry`, read " +
      "`details`, and never match on the message, which is for people.",
    table(
      ["`retry`", "What a caller can do"],
      Object.entries(RETRY).map(([retry, told]) => [code(retry), told]),
    ),
    table(["Code", "Sentence", "`retry`", "Met by"], rows),
    'An MCP client sees a failure as a result with `isError`: its text begins with the code, and `_meta["holdfast/result"].error` holds the whole. The command ' +
      "line turns it into an exit code: 0 done, 1 failed, 2 bad usage, 3 refused, 4 unknown.",
  );
}

function metBy(failure: FailureCode): string {
  if ((COMMON_FAILURES as readonly FailureCode[]).includes(failure)) return "any operation";
  const meeting = (catalogue as readonly Operation[]).filter(({ failures }) => failures.includes(failure));
  const [first] = meeting;
  if (!first) return "none yet: it is thrown outside of operations, or reserved";
  if (meeting.length <= 3) return codes(meeting.map(({ name }) => name));
  const lanes = [...new Set(meeting.map(({ lane, owner }) => `${lane} of ${owner}`))];
  return `${meeting.length} operations (${lanes.join(", ")})`;
}
