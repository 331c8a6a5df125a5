import { call } from "@holdfast/bus";
import { failure, findOperation, noIdentity } from "@holdfast/protocol";
import { z } from "zod";
import type { ServerParts } from "../server.js";
import { PAGE } from "./page.js";

/** What the console may ask for: looking, and ending what it sees. Pages are an agent's to drive. */
const ALLOWED: readonly string[] = [
  "project_list",
  "project_status",
  "view_select",
  "view_status",
  "task_stop",
  "system_status",
];
const asked = z.strictObject({
  name: z.enum(ALLOWED as [string, ...string[]]),
  request: z.record(z.string(), z.unknown()),
});

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'";

/** The console's part of the gateway; null for a path that is none of its. */
export async function consoleAnswer(parts: ServerParts, pathname: string, body: unknown): Promise<Response | null> {
  if (pathname === "/console") {
    return new Response(PAGE, {
      headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
    });
  }
  if (pathname === "/console/events") return events(parts);
  if (pathname !== "/console/call") return null;
  const wanted = asked.safeParse(body);
  const op = wanted.success ? findOperation(wanted.data.name) : undefined;
  if (!wanted.success || !op) {
    const told = failure("MCP_BAD_ARGUMENTS", `The console may ask for ${ALLOWED.join(", ")}.`);
    return Response.json({ ok: false, failure: told, identity: noIdentity("") });
  }
  return Response.json(await call(parts.relay.bus, op, wanted.data.request, { caller: "console" }));
}

/** A line whenever a project changed, for as long as somebody reads. */
function events({ notices }: ServerParts): Response {
  let stop: () => void = () => undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      // The first line lets the answer's head go out: the reader learns that it is let in.
      controller.enqueue(encoder.encode("open\n"));
      stop = notices.subscribe((event) => {
        // A reader that is behind needs no second line to know that something changed.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(`${event.kind}\n`));
      });
    },
    cancel() {
      stop();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/plain; charset=utf-8", "x-accel-buffering": "no" } });
}
