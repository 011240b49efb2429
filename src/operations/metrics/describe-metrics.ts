import { readFile, writeFile } from 'node:fs/promises'
import { replaceSection } from '../../kernel/replace-section.ts'
import { describeDashboard } from './describe-dashboard.ts'
import { METRICS, type MetricDefinition } from './table.ts'

const DOCUMENT = new URL('../../../docs/operations.md', import.meta.url)
const DASHBOARD = new URL('../../../examples/monitoring/dashboard.json', import.meta.url)

/**
 * Returns the generated files: `docs/operations.md` with the table of metrics from `table.ts`, and the dashboard.
 *
 * @throws {Error} if the document lacks the two comments that enclose the table
 */
export async function describeMetrics(): Promise<{ path: URL; text: string }[]> {
  const document = await readFile(DOCUMENT, 'utf8')
  const rows = Object.entries<MetricDefinition>(METRICS).map(
    ([name, { type, about, labels = {} }]) =>
      `| \`${name}\` | ${type} | ${about} | ${Object.entries(labels).map(describeLabel).join('; ')} |`,
  )
  const table = ['| Metric | Type | Meaning | Labels |', '|---|---|---|---|', ...rows].join('\n')
  return [
    { path: DOCUMENT, text: replaceSection(document, 'metrics', table) },
    { path: DASHBOARD, text: describeDashboard() },
  ]
}

const describeLabel = ([name, values]: [string, readonly string[] | string]) =>
  `\`${name}\`: ${typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ')}`

if (import.meta.main) {
  for (const { path, text } of await describeMetrics()) await writeFile(path, text)
}
