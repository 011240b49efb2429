const IDENTIFIER = String.raw`(?:"(?:[^"]|"")*"|[\w$\u0080-\uffff]+)`
const COLUMNS = String.raw`\((?:"(?:[^"]|"")*"|[^")])*\)`
const SPACE = String.raw`(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)`
const COPY = new RegExp(
  String.raw`^${SPACE}*copy\s+(binary\s+)?${IDENTIFIER}(?:\s*\.\s*${IDENTIFIER})*\s*(?:${COLUMNS}\s*)?from\s+stdin\b(.*)$`,
  'isu',
)

/** Describes a `copy … from stdin`, or returns `undefined` for another statement. */
export function findCopyFromStdin(text: string): { isBinary: boolean } | undefined {
  const found = COPY.exec(text)
  return found ? { isBinary: /\bbinary\b/i.test(`${found[1] ?? ''}${found[2] ?? ''}`) } : undefined
}
