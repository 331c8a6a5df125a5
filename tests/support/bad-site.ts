import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** A site that nobody may reach: it takes any connection and says what came over it. */
export interface BadSite {
  readonly host: string;
  readonly origin: string;
  readonly port: number;
  /** What came over each connection that was made. */
  readonly heard: readonly string[];
  readonly close: () => Promise<void>;
}

export async function startBadSite(): Promise<BadSite> {
  const heard: string[] = [];
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const place = heard.push("") - 1;
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    socket.on("data", (data) => {
      heard[place] += data.toString("latin1");
      socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>reached</p>");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    port,
    heard,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
