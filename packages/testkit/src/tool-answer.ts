import { type Failure, type FailureCode, failureShape, type Identity, identity } from "@holdfast/protocol";

/** What programs read: the answer's identity, and its failure if there is one. */
export interface ResultMeta extends Identity {
  readonly error?: Failure;
}

/** A tool's answer, taken apart into what each kind of client looks at. */
export interface ToolAnswer {
  readonly ok: boolean;
  /** All text blocks, in order. */
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>> | null;
  readonly meta: ResultMeta;
  /** The failure's code; null when the call went well. */
  readonly code: FailureCode | null;
  readonly image?: { readonly mimeType: string; readonly bytes: Buffer };
}

/** The part of a `tools/call` result that both lines of clients have in common. */
export interface RawToolResult {
  readonly [key: string]: unknown;
}

const resultMeta = identity.extend({ error: failureShape.optional() });

/** @throws Error when the answer lacks what every answer must carry: a test should not pass on half an answer */
export function toolAnswer(tool: string, result: RawToolResult): ToolAnswer {
  const blocks = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  const text = blocks
    .map((block) => (block.type === "text" && typeof block.text === "string" ? block.text : ""))
    .join("\n");
  const meta = metaOf(tool, result, text);
  const code = meta.error?.code ?? null;
  const ok = result.isError !== true;
  if (ok !== (code === null)) throw new Error(`${tool}: isError is ${!ok} but the failure code is ${code}. ${text}`);
  const image = imageOf(blocks);
  const structured = isRecord(result.structuredContent) ? result.structuredContent : null;
  return { ok, text: text.trim(), structured, meta, code, ...(image ? { image } : {}) };
}

function metaOf(tool: string, result: RawToolResult, text: string): ResultMeta {
  const carried = isRecord(result._meta) ? result._meta["holdfast/result"] : undefined;
  const parsed = resultMeta.safeParse(carried);
  if (!parsed.success)
    throw new Error(`${tool}: _meta["holdfast/result"] is not whole: ${parsed.error.message}\n${text}`);
  const { error, taskId, ...rest } = parsed.data;
  return { ...rest, ...(taskId === undefined ? {} : { taskId }), ...(error === undefined ? {} : { error }) };
}

function imageOf(blocks: readonly Record<string, unknown>[]): ToolAnswer["image"] {
  const block = blocks.find((each) => each.type === "image");
  if (typeof block?.data !== "string" || typeof block.mimeType !== "string") return undefined;
  return { mimeType: block.mimeType, bytes: Buffer.from(block.data, "base64") };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
