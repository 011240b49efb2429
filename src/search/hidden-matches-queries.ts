import { queryRow } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { EntryKind } from '../catalog/kinds.ts'
import { MAX_EXACT_TOTAL } from '../http/wire/requests/paging.ts'
import { findByExternalId } from './external-id-queries.ts'
import { HAS_WORDS, isIn, PATTERNS } from './hit-queries.ts'
import { SECTIONS } from './index/sections.ts'
import { areShortKana, gramsByLevel, patternOf, rarestKeys } from './probes.ts'
import type { Searcher } from './search.ts'
import type { NameForm } from './text/forms.ts'
import { parseQuery } from './text/parse-query.ts'

const COUNT = statement('search.count_whole_names').returning<{ total: number }>(`
  with pattern as materialized (${PATTERNS})
  select count(distinct (entry.section, entry.id)) as total
  from (
    select * from jsonb_to_recordset($2::jsonb) as probe (form integer, keys integer[]) limit 128
  ) probe
  join pattern on pattern.form = probe.form
  cross join lateral (
    select section, id, names, words from search_entries where grams @> probe.keys limit $3
  ) entry
  where ${isIn('title', 'names')} or ${isIn('name', 'names')} or (pattern.word <> '' and ${HAS_WORDS})`)

/**
 * Counts the adult works that a query names, for viewers from whom they are hidden. A name matches as a whole or
 * by whole words: a count of names that begin with the query would reveal them letter by letter.
 */
export async function countHiddenMatches(
  { db, frequencies }: Searcher,
  q: string,
  kinds: readonly EntryKind[],
): Promise<number> {
  const sections = SECTIONS.filter(({ kind, nsfw }) => nsfw && kinds.includes(kind)).map(
    ({ number }) => number,
  )
  if (sections.length === 0) return 0
  const { forms, externalId, stripped } = parseQuery(q)
  const named = await findByExternalId(db, externalId, sections)
  if (named.length > 0) return named.length
  return (await countNamed(forms)) || countNamed(stripped)

  async function countNamed(written: NameForm[]): Promise<number> {
    const isShortKana = areShortKana(written)
    const probes = written.flatMap((form, index) => {
      const { equal, words } = gramsByLevel(form, isShortKana)
      return [equal, words]
        .filter((grams) => grams.length > 0)
        .flatMap((grams) =>
          sections.map((section) => ({
            form: index,
            keys: rarestKeys(section, grams, frequencies()).keys,
          })),
        )
    })
    if (probes.length === 0) return 0
    const patterns = written.map((form) => patternOf(form, false))
    const parameters = [JSON.stringify(patterns), JSON.stringify(probes), MAX_EXACT_TOTAL] as const
    return (await queryRow(db, COUNT, parameters))?.total ?? 0
  }
}
