import { COMMON_FAILURES, catalogue, type Operation } from "@holdfast/protocol";
import { answerFields, fieldsOf } from "./fields.js";
import { anchor, code, codes, generated, page, table } from "./markdown.js";

const all: readonly Operation[] = catalogue;

/** Every operation: what it does, how it travels, what it takes and how it can fail. */
export function operationsPage(): string {
  const overview = all.map((op) => [`[${code(op.name)}](#${anchor(op.name)})`, op.lane, op.owner, op.sentence]);
  return page(
    generated("Operations", "the catalogue in `packages/protocol/src/catalogue.ts`"),
    "Each operation is declared once; MCP tools ([tools](tools.md)), commands ([cli](cli.md)), validation on both sides and this page are " +
      "derived from it. Lanes are explained in [ARCHITECTURE.md](../ARCHITECTURE.md), failures in [failures](failures.md).",
    `Any operation can fail with ${codes(COMMON_FAILURES)} too; these are not repeated below.`,
    table(["Operation", "Lane", "Answered by", "What it does"], overview),
    ...all.map(section),
  );
}

function section(op: Operation): string {
  const fields = fieldsOf(op).map(({ name, type, required, byDefault, description }) => [
    code(name),
    type,
    required ? "required" : byDefault && code(byDefault),
    description,
  ]);
  return [
    `## ${op.name}`,
    op.sentence,
    facts(op).join("\n"),
    fields.length > 0 ? table(["Argument", "Type", "Default", "Meaning"], fields) : "No arguments.",
  ].join("\n\n");
}

function facts(op: Operation): string[] {
  const { lane, subject, owner, timeoutMs, aliases = {}, secrets = [], failures } = op;
  const seldom = failures.filter((failure) => !(COMMON_FAILURES as readonly string[]).includes(failure));
  const tool = op.tool
    ? `MCP tool ${code(op.tool.name)} with ${code(`action: "${op.tool.action}"`)}`
    : `MCP tool ${code(op.name)}`;
  const older = Object.entries(aliases).map(([old, name]) => `${code(old)} for ${code(name)}`);
  return [
    `- ${capital(lane)} on ${code(subject.pattern)}, answered by ${owner}; ${tool}.`,
    `- Answers with ${codes(answerFields(op))}.`,
    ...(timeoutMs ? [`- May run ${timeoutMs} ms once begun, unless ${code("timeoutMs")} says otherwise.`] : []),
    ...notes(op).map((note) => `- ${note}`),
    ...(older.length > 0 ? [`- Takes the older ${older.join(", ")} as well.`] : []),
    ...(secrets.length > 0 ? [`- ${codes(secrets)} may hold a secret: never stored, never logged.`] : []),
    ...(seldom.length > 0 ? [`- Fails with ${codes(seldom)}.`] : []),
  ];
}

function notes(op: Operation): string[] {
  return [
    ...(op.selectsTab
      ? ["Moves the cursor to the tab it names, so it may name another than the one that is held."]
      : []),
    ...(op.ofProject ? ["Is about the project's tabs as a whole: no tab could be the wrong one."] : []),
    ...(op.closesTab
      ? ["Closes the tab: a cursor that stood there goes back to the tab that opened it, else it is nowhere."]
      : []),
    ...(op.despiteDialog ? ["Is done although a dialog is open."] : []),
    ...(op.opensTab ? ["Opens a tab where there is none to act on."] : []),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
