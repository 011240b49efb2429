import { readFile, writeFile } from 'node:fs/promises'
import { replaceSection } from '../kernel/replace-section.ts'
import { describeSettings } from './config.ts'

const FILES = `${new Intl.ListFormat('en').format(
  describeSettings()
    .filter(({ mayBeInFile }) => mayBeInFile)
    .map(({ name }) => name),
)} can also be read from a file: set NAME_FILE to its path.`

/** Returns the files whose text is generated from the settings, wholly or in part, with their expected text. */
export async function describeSettingsFiles(): Promise<{ path: URL; text: string }[]> {
  const operations = new URL('../../docs/operations.md', import.meta.url)
  return [
    { path: new URL('../../.env.example', import.meta.url), text: envExample() },
    { path: operations, text: withSettingsTable(await readFile(operations, 'utf8')) },
  ]
}

/** Writes every setting as a comment, so that a copy changes nothing until a line is uncommented. */
function envExample() {
  const settings = describeSettings().map(
    ({ name, default: value = '', about }) =>
      `${wrap(about, 98)
        .map((line) => `# ${line}\n`)
        .join('')}#${name}=${value}\n`,
  )
  return [
    `# All settings with their defaults. Copy this file to .env and uncomment the lines you change. mokuroku reads .env in the
# working directory; the environment takes precedence. An empty value counts as unset.
${wrap(FILES, 98)
  .map((line) => `# ${line}\n`)
  .join('')}# Generated from src/config/ by npm run settings.
`,
    ...settings,
  ].join('\n')
}

/** @throws {Error} if the document lacks the two comments that enclose the table */
function withSettingsTable(document: string) {
  const rows = describeSettings().map(
    ({ name, default: value, about }) =>
      `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${about} |`,
  )
  const table = ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
  return replaceSection(document, 'settings', table)
}

function wrap(text: string, width: number) {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

if (import.meta.main)
  for (const { path, text } of await describeSettingsFiles()) await writeFile(path, text)
