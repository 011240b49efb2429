import { sql } from 'kysely'
import { KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { foldWords } from '../../search/text/fold.ts'
import type { Source } from '../../sources/records/record.ts'
import { streamBatches } from '../../sources/dump/tables/row-streams.ts'
import { canonicalJapanese } from './japanese-han.ts'

/** Kinds whose records are compared by name. Mangas are omitted, because only one source has them. */
const NAMED_KINDS = [
  'galgame',
  'light_novel',
  'person',
  'producer',
  'character',
] as const satisfies EntryKind[]

/** SQL for the name of a `record`. */
export const recordName = sql.raw(
  `case record.kind ${Object.entries(KINDS)
    .map(([kind, { shown }]) => `when '${kind}' then record.fields ->> '${shown.title}'`)
    .join(' ')} end`,
)

type NamedRecord = { source: string; kind: string; external_id: string; name: string | null }

/**
 * Returns the forms of a name that are compared, without spaces. `folded` is the form that search uses, and finds
 * candidates. `exact` does not unify simplified Chinese characters, and confirms candidates.
 */
const formsOf = (name: string) => ({
  folded: foldWords(name).join(''),
  exact: foldWords(name, canonicalJapanese).join(''),
  is_one_word: isOneWord(name),
})

/**
 * Returns true for a name that may be only a given name or pen name (`Yuki`, `あかり`). Japanese full names contain more
 * Han characters or a space.
 */
const isOneWord = (name: string) =>
  !/[\s・＝=.]/.test(name.trim()) &&
  (!/\p{Script=Han}/u.test(name) || Array.from(name.trim()).length <= 2)

/** Deletes the names of a source's records whose entries have changed. */
export const deleteStaleNames = (trx: Database, source: Source) =>
  sql`
    delete from record_names known
    using changed_entries changed
    join source_records record on record.kind = changed.kind and record.entry_id = changed.entry_id
    where record.source = ${source}
      and (known.source, known.kind, known.external_id) = (record.source, record.kind, record.external_id)`.execute(
    trx,
  )

/**
 * Folds the names of records that have no folded names yet. Names of a single source are needed only once another
 * source is imported.
 */
export async function foldRecordNames(trx: Database): Promise<void> {
  const missing = streamBatches<NamedRecord>(
    trx,
    'missing_names',
    sql`
      select record.source, record.kind, record.external_id, ${recordName} as name
      from source_records record
      left join record_names known using (source, kind, external_id)
      where record.kind in (${sql.join(NAMED_KINDS.map((kind) => sql.lit(kind)))}) and known.source is null`,
  )
  for await (const rows of missing) {
    const named = rows.flatMap(({ name, ...record }) => {
      const forms = formsOf(name ?? '')
      return forms.folded === '' ? [] : [{ ...record, ...forms }]
    })
    await sql`
      insert into record_names (source, kind, external_id, folded, exact, is_one_word)
      select source, kind, external_id, folded, exact, is_one_word
      from jsonb_populate_recordset(null::record_names, ${JSON.stringify(named)}::jsonb)`.execute(
      trx,
    )
  }
}
