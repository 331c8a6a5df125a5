import { NO_URL_RULES, type UrlRules } from "@holdfast/protocol";
import { type Rules, ruleAgainst, rulesOf } from "../core/url-rules.js";
import { Waits } from "../waits.js";
import { type Denial, Denials } from "./denials.js";

/** A frame or worker that a request comes from, as Chromium names it. */
export interface Asker {
  readonly targetId: string;
  readonly contextId: string | undefined;
  readonly openerId: string | null;
}

/** The tab that an asker is of; null: of the project, and of no tab of it; undefined: not of the project. */
export type OwnerOf = (asker: Asker) => { readonly tabId: string } | null | undefined;

/** One project's rules as they are at this moment, and what they forbade. */
export class Guard {
  readonly denials: Denials;
  /** For what waits until a load is denied. */
  readonly waits = new Waits();
  readonly ownerOf: OwnerOf;
  readonly #stack: UrlRules;
  readonly #changed = new Set<() => void>();
  #rules: Rules;

  constructor(stack: UrlRules, hooks: { readonly ownerOf: OwnerOf; readonly tell: (denial: Denial) => void }) {
    this.#stack = stack;
    this.#rules = rulesOf(stack, NO_URL_RULES);
    this.ownerOf = hooks.ownerOf;
    this.denials = new Denials(hooks.tell);
  }

  get rules(): Rules {
    return this.#rules;
  }

  /** Without a rule nothing is looked at, and nothing goes through the proxy. */
  get active(): boolean {
    return this.#rules.length > 0;
  }

  set(own: UrlRules): void {
    this.#rules = rulesOf(this.#stack, own);
    for (const changed of this.#changed) changed();
  }

  /** Calls back whenever the rules are other ones, until it is stopped. */
  onChange(changed: () => void): () => void {
    this.#changed.add(changed);
    return () => void this.#changed.delete(changed);
  }

  ruleAgainst(url: string): string | null {
    return this.active ? ruleAgainst(this.#rules, url) : null;
  }

  deny(denial: Denial): void {
    this.denials.add(denial);
    this.waits.tell();
  }
}
