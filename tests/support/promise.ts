/** A promise as data. Later steps build on earlier ones. */
export interface Promised {
  readonly sentence: string;
  readonly step: 1 | 2 | 3;
}

/** The promises of one chapter that belong to one step, by id. */
export function ofStep<const Sentences extends Readonly<Record<string, string>>>(
  step: Promised["step"],
  sentences: Sentences,
): { readonly [Id in keyof Sentences]: Promised } {
  const entries = Object.entries(sentences).map(([id, sentence]) => [id, { sentence, step }] as const);
  return Object.fromEntries(entries) as { readonly [Id in keyof Sentences]: Promised };
}
