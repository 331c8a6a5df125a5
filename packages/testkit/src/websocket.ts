import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";

/** Texts over a web socket. Node 20 has no client for it, and the debug port of a browser speaks nothing else. */
export interface TextSocket {
  readonly send: (text: string) => void;
  readonly close: () => void;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** @throws Error when the other side does not take it up */
export async function openTextSocket(url: string, seen: (text: string) => void): Promise<TextSocket> {
  const { hostname, port, pathname } = new URL(url);
  const key = randomBytes(16).toString("base64");
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": key,
  };
  const asking = request({ hostname, port, path: pathname, headers });
  asking.end();
  const [answer, socket, head] = (await once(asking, "upgrade")) as [IncomingMessage, Socket, Buffer];
  const wanted = createHash("sha1").update(`${key}${GUID}`).digest("base64");
  if (answer.headers["sec-websocket-accept"] !== wanted) throw new Error("The other side speaks no web socket.");
  const read = reader((opcode, payload) => {
    if (opcode === TEXT) seen(payload.toString("utf8"));
    else if (opcode === PING) socket.write(frameOf(PONG, payload));
    else if (opcode === CLOSE) socket.end();
  });
  socket.on("data", read);
  // A browser that ends takes its end of the line with it; whoever still asks something is told by his own deadline.
  socket.on("error", () => socket.destroy());
  read(head);
  return {
    send: (text) => void socket.write(frameOf(TEXT, Buffer.from(text))),
    close: () => socket.destroy(),
  };
}

/** A frame of a client is masked; the mask hides nothing, it only keeps proxies from taking the bytes for something else. */
function frameOf(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, place) => byte ^ (mask[place % 4] ?? 0)));
  return Buffer.concat([Buffer.from([0x80 | opcode]), lengthOf(payload.length), mask, masked]);
}

function lengthOf(length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | length]);
  const wide = Buffer.alloc(length < 65_536 ? 3 : 9);
  wide[0] = 0x80 | (length < 65_536 ? 126 : 127);
  if (length < 65_536) wide.writeUInt16BE(length, 1);
  else wide.writeBigUInt64BE(BigInt(length), 1);
  return wide;
}

/** Puts frames together from whatever pieces come. */
function reader(seen: (opcode: number, payload: Buffer) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let kind = TEXT;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    for (let frame = frameIn(rest); frame; frame = frameIn(rest)) {
      rest = rest.subarray(frame.bytes);
      if (frame.opcode !== 0) kind = frame.opcode;
      parts.push(frame.payload);
      if (!frame.last) continue;
      seen(kind, Buffer.concat(parts));
      parts = [];
    }
  };
}

interface Frame {
  readonly last: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  readonly bytes: number;
}

function frameIn(data: Buffer): Frame | null {
  const [first, second] = data;
  if (first === undefined || second === undefined) return null;
  const short = second & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (data.length < start) return null;
  const length = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short;
  if (data.length < start + length) return null;
  const payload = data.subarray(start, start + length);
  return { last: (first & 0x80) !== 0, opcode: first & 0x0f, payload, bytes: start + length };
}
