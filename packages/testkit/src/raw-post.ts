import { request } from "node:http";
import { text } from "node:stream/consumers";

export interface RawPost {
  /** Sent as it is when it is a string; else as JSON. */
  readonly body: unknown;
  /** Any header, `host` and `origin` too, which `fetch` would not send. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly timeoutMs?: number;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const TIMEOUT_MS = 30_000;

/** Posts what no client library would, to see what the gateway makes of it. */
export function rawPost(url: string, options: RawPost): Promise<RawAnswer> {
  const body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(Buffer.byteLength(body)),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
    const outgoing = request(url, { method: "POST", headers, signal }, (answer) => {
      text(answer).then(
        (read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: read }),
        reject,
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
