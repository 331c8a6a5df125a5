/** A text cut at a limit, saying so: a cut is never silent. */
export function capped(text: string, charsMax: number, hint: string): { text: string; truncated: boolean } {
  if (text.length <= charsMax) return { text, truncated: false };
  const line = text.lastIndexOf("\n", charsMax);
  const end = line > 0 ? line : charsMax;
  return { text: `${text.slice(0, end)}\n[cut: ${end} of ${text.length} characters. ${hint}]`, truncated: true };
}

/** The lines that went and came between two trees, in order; what stayed is left out. */
export function lineDiff(before: string, after: string): string {
  const old = countLines(before);
  const added: string[] = [];
  for (const line of after.split("\n")) {
    const left = old.get(line) ?? 0;
    if (left > 0) old.set(line, left - 1);
    else added.push(`+ ${line}`);
  }
  const removed = [...old].flatMap(([line, times]) => Array.from({ length: times }, () => `- ${line}`));
  const changed = [...removed, ...added];
  return changed.length > 0 ? changed.join("\n") : "(unchanged)";
}

function countLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
