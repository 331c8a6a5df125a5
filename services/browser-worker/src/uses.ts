/** Counts what goes on somewhere, and tells when it was used last. */
export class Uses {
  #count = 0;
  /** Monotonic ms. */
  #at = performance.now();

  get idle(): boolean {
    return this.#count === 0;
  }

  get lastAt(): number {
    return this.#at;
  }

  /** Something begins; what is given back ends it, once. */
  begin(): () => void {
    this.#count += 1;
    this.#at = performance.now();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#count -= 1;
      this.#at = performance.now();
    };
  }
}
