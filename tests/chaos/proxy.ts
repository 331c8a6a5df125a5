import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A wire between a process and the server, that can be cut and mended. */
export interface Wire {
  readonly port: number;
  /** Ends every connection, and lets none come about. */
  readonly cut: () => void;
  /** Keeps every connection and passes nothing on: neither end is told. */
  readonly hang: () => void;
  readonly mend: () => void;
  readonly close: () => Promise<void>;
}

type State = "whole" | "cut" | "hanging";

/** @param target the server's port at the moment of connecting; null while there is none */
export async function wireTo(target: () => number | null): Promise<Wire> {
  const sockets = new Set<Socket>();
  let state: State = "whole";
  const apply = (socket: Socket): void => {
    if (state === "cut") socket.destroy();
    else if (state === "hanging") socket.pause();
    else socket.resume();
  };
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on("data", (data) => void other.write(data));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
    apply(socket);
  };
  const server = createServer((near) => {
    const port = target();
    if (port === null || state === "cut") return void near.destroy();
    const far = connect(port, "127.0.0.1");
    keep(near, far);
    keep(far, near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const become = (next: State) => (): void => {
    state = next;
    for (const socket of [...sockets]) apply(socket);
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: become("cut"),
    hang: become("hanging"),
    mend: become("whole"),
    close: async () => {
      become("cut")();
      server.close();
      await once(server, "close");
    },
  };
}
