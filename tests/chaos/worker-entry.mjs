// A browser worker whose connections go through a wire of its own: HOLDFAST_CHAOS_WIRES holds a port for each ordinal.
const wires = JSON.parse(process.env.HOLDFAST_CHAOS_WIRES ?? "{}");
const ordinal = /^w(\d+)-/.exec(process.env.HOLDFAST_WORKER_ID ?? "")?.[1] ?? "";
const port = wires[ordinal];
if (port !== undefined) {
  for (const name of ["HOLDFAST_NATS_URL", "HOLDFAST_STOP_NATS_URL"]) {
    const url = new URL(process.env[name]);
    url.port = String(port);
    process.env[name] = url.href;
  }
}
await import(process.env.HOLDFAST_CHAOS_WORKER);
