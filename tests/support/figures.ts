import type { FileMeasure } from "./measure.js";

/** The budgets. Why these: what separates admired code from the rest is its tail, not its middle. */
export const BUDGET = {
  fileLines: 200,
  fileLinesMax: 300,
  functionLines: 40,
  functionLinesMax: 70,
  share: 0.95,
  parametersMax: 4,
};

export interface Figures {
  readonly of: string;
  readonly files: number;
  readonly fileLines: string;
  readonly functionLines: string;
  readonly filesWithin: string;
  readonly functionsWithin: string;
  readonly comments: string;
}

/** One row: median, nine in ten, most; then how much keeps within the budget. */
export function figuresOf(of: string, files: readonly FileMeasure[]): Figures {
  const fileLines = files.map(({ lines }) => lines);
  const functionLines = files.flatMap(({ functions }) => functions.map(({ lines }) => lines));
  const all = fileLines.reduce((sum, lines) => sum + lines, 0);
  const comments = files.reduce((sum, { commentLines }) => sum + commentLines, 0);
  return {
    of,
    files: files.length,
    fileLines: spread(fileLines),
    functionLines: spread(functionLines),
    filesWithin: percent(shareWithin(fileLines, BUDGET.fileLines)),
    functionsWithin: percent(shareWithin(functionLines, BUDGET.functionLines)),
    comments: percent(all === 0 ? 0 : comments / all),
  };
}

export function shareWithin(values: readonly number[], limit: number): number {
  return values.length === 0 ? 1 : values.filter((value) => value <= limit).length / values.length;
}

/** The figures as a table for the log. */
export function tableOf(rows: readonly Figures[]): string {
  const titles = [
    "",
    "files",
    "file lines",
    "fn lines",
    `<= ${BUDGET.fileLines}`,
    `fn <= ${BUDGET.functionLines}`,
    "comments",
  ];
  const cells = rows.map((row) => Object.values(row).map(String));
  const widths = titles.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  return [titles, ...cells]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `${at(0.5)} / ${at(0.9)} / ${sorted.at(-1) ?? 0}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
