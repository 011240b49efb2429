import { readFile, writeFile } from 'node:fs/promises'
import { describeSettings } from '../config/config.ts'
import { replaceSection } from '../kernel/replace-section.ts'
import { RETENTION_RULES, type RetentionRule } from './rules.ts'

const DOCUMENT = new URL('../../docs/operations.md', import.meta.url)

/**
 * Returns `docs/operations.md` with the retention table generated from `rules.ts`.
 *
 * @throws {Error} if the document lacks the two comments that enclose the table
 */
export async function describeRetention(): Promise<{ path: URL; text: string }> {
  const document = await readFile(DOCUMENT, 'utf8')
  const defaults = new Map(describeSettings().map(({ name, default: value }) => [name, value]))
  const rows = RETENTION_RULES.map(
    ({ table, about, kept, setting, exception }: RetentionRule) =>
      `| ${about} | \`${table}\` | ${setting ? `\`${setting}\` (${defaults.get(setting)})` : kept} | ${exception ?? ''} |`,
  )
  const head = ['| Data | Table | Kept for | Never deleted by age |', '|---|---|---|---|']
  return {
    path: DOCUMENT,
    text: replaceSection(document, 'retention', [...head, ...rows].join('\n')),
  }
}

if (import.meta.main) {
  const { path, text } = await describeRetention()
  await writeFile(path, text)
}
