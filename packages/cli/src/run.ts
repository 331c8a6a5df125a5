import { type Bus, call, connectBus } from "@holdfast/bus";
import { type Answer, asFailure, noIdentity, type Operation } from "@holdfast/protocol";
import { present, presentFailure } from "./derive/present.js";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-codes.js";
import { natsUrlOf, type StackChoice } from "./target.js";

export interface Wish {
  readonly choice: StackChoice;
  readonly json: boolean;
}

/** Calls one operation and prints its answer. */
export function runOperation(op: Operation, request: Record<string, unknown>, wish: Wish): Promise<ExitCode> {
  return withBus(wish, async (bus) => {
    const answer = await call(bus, op, request, { caller: "cli" });
    return show(answer, wish, () => (answer.ok ? present(op, answer) : ""));
  });
}

/** Prints an answer: the whole as JSON, or a person's form of it. A failure goes to stderr as well as into the exit code. */
export function show(answer: Answer, wish: Wish, human: () => string): ExitCode {
  if (wish.json) console.log(JSON.stringify(answer));
  if (answer.ok) {
    if (!wish.json) console.log(human());
    return EXIT.done;
  }
  if (!wish.json) console.error(presentFailure(answer.failure));
  return exitCodeOf(answer.failure.code);
}

/** Connects for one command, and lets go of the connection whatever becomes of it. */
export async function withBus(wish: Wish, use: (bus: Bus) => Promise<ExitCode>): Promise<ExitCode> {
  const reached = natsUrlOf(wish.choice);
  if ("problem" in reached) return problem(reached.problem, wish);
  let bus: Bus;
  try {
    bus = await connectBus({ url: reached.url, name: "holdfast-cli" });
  } catch (thrown) {
    return show({ ok: false, failure: asFailure(thrown), identity: noIdentity("") }, wish, () => "");
  }
  try {
    return await use(bus);
  } finally {
    await bus.drain();
  }
}

function problem(sentence: string, wish: Wish): ExitCode {
  if (wish.json) console.log(JSON.stringify({ ok: false, problem: sentence }));
  else console.error(sentence);
  return EXIT.failed;
}
