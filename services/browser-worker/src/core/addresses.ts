/** What is reachable from this machine and from nowhere else: first byte or group, bits of it that count. See RFC 6890. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;
const V4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const V4_TAIL = /^(.*:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** Whether a host is one of the private network, by its address or by a name that is only given there. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  if (V4.test(bare)) return isPrivateV4(numberOf(bare));
  if (bare.includes(":")) return isPrivateV6(groupsOf(bare));
  return PRIVATE_NAMES.test(bare);
}

function isPrivateV4(address: number): boolean {
  return PRIVATE_V4.some(([base, bits]) => address >>> (32 - bits) === numberOf(base) >>> (32 - bits));
}

/** Loopback, unspecified, unique local, link local, multicast, and the forms that carry an address of version 4. */
function isPrivateV6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups;
  const tail = (groups[6] ?? 0) * 65_536 + (groups[7] ?? 0);
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  if (zeros(7)) return tail <= 1;
  if (zeros(5) && groups[5] === 0xff_ff) return isPrivateV4(tail);
  if (zeros(6)) return isPrivateV4(tail);
  if (first === 0x64 && second === 0xff_9b) return isPrivateV4(tail);
  if (first === 0x20_02) return isPrivateV4(second * 65_536 + (groups[2] ?? 0));
  return (first & 0xfe_00) === 0xfc_00 || (first & 0xff_c0) === 0xfe_80 || (first & 0xff_00) === 0xff_00;
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The eight groups of an address of version 6. */
function groupsOf(address: string): number[] {
  const [plain = ""] = address.split("%");
  const [head = "", tail] = withoutV4(plain).split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((part) => Number.parseInt(part, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const between = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: between }, () => 0), ...after];
}

function withoutV4(address: string): string {
  const [, head, v4] = V4_TAIL.exec(address) ?? [];
  if (head === undefined || v4 === undefined) return address;
  const number = numberOf(v4);
  return `${head}${(number >>> 16).toString(16)}:${(number & 0xff_ff).toString(16)}`;
}
