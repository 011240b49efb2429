import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { foldWords } from '../../search/text/fold.ts'
import { NAME_FIELDS } from '../columns.ts'
import type { Source } from '../record.ts'
import type { RecordKind } from '../record-kinds.ts'

/** Records whose names are folded at once. */
const BATCH = 5_000

/** Kinds whose records are compared by name; mangas are of one source. */
const NAMED_KINDS = [
  'galgame',
  'light_novel',
  'person',
  'producer',
  'character',
] as const satisfies RecordKind[]

const nameOf = sql.raw(
  `case record.kind ${NAMED_KINDS.map((kind) => `when '${kind}' then record.fields ->> '${NAME_FIELDS[kind]}'`).join(' ')} end`,
)

type NamedRecord = { kind: string; external_id: string; name: string | null }

/** A name in the one form in which names of different sources are compared: in one piece, folded as search folds. */
const foldName = (name: string) => foldWords(name).join('')

/** Folds the names of the records of a source whose entries are in `changed_entries`. */
export async function foldRecordNames(trx: Database, source: Source): Promise<void> {
  let last: NamedRecord = { kind: '', external_id: '', name: null }
  for (;;) {
    const { rows } = await sql<NamedRecord>`
      select record.kind, record.external_id, ${nameOf} as name
      from source_records record
      where record.source = ${source}
        and record.kind in (${sql.join(NAMED_KINDS.map((kind) => sql.lit(kind)))})
        and (record.kind, record.external_id) > (${last.kind}, ${last.external_id})
        and exists (
          select from changed_entries changed
          where changed.kind = record.kind and changed.entry_id = record.entry_id
        )
      order by record.kind, record.external_id
      limit ${BATCH}`.execute(trx)
    const named = rows.flatMap(({ kind, external_id, name }) => {
      const folded = foldName(name ?? '')
      return folded === '' ? [] : [{ kind, external_id, folded }]
    })
    await sql`
      insert into record_names as known (source, kind, external_id, folded)
      select ${source}, kind, external_id, folded
      from unnest(
        ${named.map(({ kind }) => kind)}::text[],
        ${named.map(({ external_id }) => external_id)}::text[],
        ${named.map(({ folded }) => folded)}::text[]
      ) named (kind, external_id, folded)
      on conflict (source, kind, external_id) do update set folded = excluded.folded
        where known.folded <> excluded.folded`.execute(trx)
    const next = rows.at(-1)
    if (!next || rows.length < BATCH) return
    last = next
  }
}
