import { readFile, writeFile } from 'node:fs/promises'
import { replaceSection } from '../../kernel/replace-section.ts'
import { METRICS, type MetricDefinition } from './table.ts'

const DOCUMENT = new URL('../../../docs/operations.md', import.meta.url)

/**
 * Returns `docs/operations.md` with the table of metrics generated from `table.ts`.
 *
 * @throws {Error} if the document lacks the two comments that enclose the table
 */
export async function describeMetrics(): Promise<{ path: URL; text: string }> {
  const document = await readFile(DOCUMENT, 'utf8')
  const rows = Object.entries<MetricDefinition>(METRICS).map(
    ([name, { type, about, labels = {} }]) =>
      `| \`${name}\` | ${type} | ${about} | ${Object.entries(labels).map(describeLabel).join('; ')} |`,
  )
  const table = ['| Metric | Type | Meaning | Labels |', '|---|---|---|---|', ...rows].join('\n')
  return { path: DOCUMENT, text: replaceSection(document, 'metrics', table) }
}

const describeLabel = ([name, values]: [string, readonly string[] | string]) =>
  `\`${name}\`: ${typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ')}`

if (import.meta.main) {
  const { path, text } = await describeMetrics()
  await writeFile(path, text)
}
