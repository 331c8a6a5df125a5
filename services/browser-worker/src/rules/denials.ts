import type { UrlDenied } from "@holdfast/protocol";
import { DENIAL_AGAIN_MS, DENIALS_MAX } from "../limits.js";

/** What was to be loaded: the document of a tab, which an operation answers for, or anything beside it. */
export type DeniedKind = "document" | "other";

export interface Denial {
  readonly url: string;
  readonly rule: string;
  readonly kind: DeniedKind;
  /** Null where it is not known, as of a window that is no tab yet. */
  readonly tabId: string | null;
}

interface Kept extends Denial {
  readonly place: number;
  /** Monotonic ms. */
  readonly at: number;
}

/** What a project's rules forbade lately, in order. */
export class Denials {
  #kept: Kept[] = [];
  #place = 0;
  readonly #tell: (denial: Denial) => void;

  /** @param tell told of each, but not of the same one again and again */
  constructor(tell: (denial: Denial) => void) {
    this.#tell = tell;
  }

  /** A mark in their order. */
  get mark(): number {
    return this.#place;
  }

  add(denial: Denial): void {
    const at = performance.now();
    const same = (old: Kept): boolean => old.url === denial.url && old.rule === denial.rule;
    const before = this.#kept.findLast(same);
    this.#place += 1;
    this.#kept = [...this.#kept.slice(1 - DENIALS_MAX), { ...denial, at, place: this.#place }];
    if (!before || at - before.at > DENIAL_AGAIN_MS) this.#tell(denial);
  }

  since(mark: number): readonly Denial[] {
    return this.#kept.filter(({ place }) => place > mark);
  }
}

/** As an answer shows them: each address once. */
export function deniedTold(denials: readonly Denial[]): UrlDenied[] {
  const byUrl = new Map(
    denials.map(({ url, rule, tabId }) => [url, { url, rule, tabId, code: "MCP_URL_DENIED" as const }]),
  );
  return [...byUrl.values()];
}
