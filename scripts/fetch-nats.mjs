// `node scripts/fetch-nats.mjs DIR [SUITE]`: unpacks the nats-server of a newer Debian under DIR and prints its path, for
// HOLDFAST_NATS_SERVER. It comes from the mirror that this machine's own apt uses; nothing is installed. Its checksum is the index's.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The suite that has a current server; its Go programs run on older Debians too. */
const SUITE = "forky";
const PACKAGE = "nats-server";
const APT = "/etc/apt";

const [, , into, suite = SUITE] = process.argv;
if (into === undefined) fail("Say where to: node scripts/fetch-nats.mjs DIR");

const mirror = mirrorOfApt();
const architecture = execFileSync("dpkg", ["--print-architecture"], { encoding: "utf8" }).trim();
const folder = resolve(into);
const program = join(folder, "usr/sbin/nats-server");
if (!existsSync(program)) await unpack();
console.error(execFileSync(program, ["--version"], { encoding: "utf8" }).trim());
console.log(program);

async function unpack() {
  mkdirSync(folder, { recursive: true });
  const index = join(folder, "Packages.xz");
  writeFileSync(index, await fetched(`${mirror}/dists/${suite}/main/binary-${architecture}/Packages.xz`));
  const text = execFileSync("xz", ["-dc", index], { encoding: "utf8", maxBuffer: 2 ** 29 });
  const entry =
    text.split("\n\n").find((each) => each.startsWith(`Package: ${PACKAGE}\n`)) ?? fail(`${suite} has no ${PACKAGE}.`);
  const field = (name) => new RegExp(`^${name}: (.*)$`, "m").exec(entry)?.[1] ?? fail(`The index tells no ${name}.`);
  const data = await fetched(`${mirror}/${field("Filename")}`);
  const sum = createHash("sha256").update(data).digest("hex");
  if (sum !== field("SHA256")) fail(`The package has the checksum ${sum}, and the index says ${field("SHA256")}.`);
  const deb = join(folder, "nats-server.deb");
  writeFileSync(deb, data);
  execFileSync("dpkg-deb", ["-x", deb, folder]);
}

/** The first mirror that apt is told of, in either form of its sources. */
function mirrorOfApt() {
  const folder = join(APT, "sources.list.d");
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  for (const file of [...files, join(APT, "sources.list")].filter(existsSync)) {
    const text = readFileSync(file, "utf8");
    const found = /^URIs:\s*(\S+)/m.exec(text) ?? /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/m.exec(text);
    if (found?.[1]) return found[1].replace(/\/$/, "");
  }
  return fail("apt has no sources here: this script is for Debian and what comes of it.");
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) fail(`${url} answers ${answer.status}.`);
  return Buffer.from(await answer.arrayBuffer());
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
