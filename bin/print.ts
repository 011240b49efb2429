/** What every command takes: machines get one JSON value on standard output, people get lines. */
export type PrintOptions = { json?: boolean }

export const JSON_OPTION = ['--json', 'print one JSON value, for machines'] as const

/** Prints the result of a command in the form that was asked for. */
export function print({ json }: PrintOptions, value: unknown, lines: string[]) {
  process.stdout.write(
    json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''),
  )
}

/** Columns of equal width, the first row the heading. */
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
