/** Options of every command. By default, output is text for people; with `--json` it is one JSON value. */
export type PrintOptions = { json?: boolean }

export const JSON_OPTION = ['--json', 'print the result as one JSON value'] as const

/** Prints the result of a command as text or JSON. */
export function print({ json }: PrintOptions, value: unknown, lines: string[]) {
  process.stdout.write(
    json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''),
  )
}

/** Formats rows as columns of equal width. The first row is the heading. */
export function table(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
