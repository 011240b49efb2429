import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { POPULARITY } from './sections.ts'
import { byKind, isWorkKind, KINDS, type EntryKind } from '../../catalog/kinds.ts'

/** Names of an entry as written by its sources, including null and blank names. */
export type NamesOfEntry = {
  id: number
  nsfw: boolean
  readers: number
  titles: (string | null)[]
  /** Chinese titles. */
  chinese: (string | null)[]
  aliases: (string | null)[]
  isbns: (string | null)[]
}

const texts = (column: string) => `array(select jsonb_array_elements_text(${column}))`
const volumeNames = (table: string, work: string) =>
  `array(select unnest(array[volume.name, volume.name_cn]) from ${table} volume where volume.${work} = entry.id)`

type Names = { titles: string; chinese: string; aliases: string; isbns?: string }

const BOOK_TITLES = 'array[entry.name, entry.en_name, entry.romaji_name, entry.ko_name]'

/** SQL for the names of a kind's `entry`, as arrays of strings. */
const NAMES: Record<EntryKind, Names> = {
  galgame: {
    titles: `array[entry.origin_title, entry.en_title, entry.romaji_title, entry.ko_title]`,
    chinese: `array[entry.trans_title, case when entry.origin_lang like 'zh%' then entry.origin_title end]`,
    aliases: texts('entry.aliases'),
  },
  light_novel: {
    titles: BOOK_TITLES,
    chinese: 'array[entry.name_cn]',
    aliases: `${texts('entry.other_names')} || ${volumeNames('light_novel_volumes', 'light_novel_id')}`,
    isbns: `array(
        select isbn.value
        from light_novel_volumes volume cross join jsonb_array_elements_text(volume.isbns) isbn
        where volume.light_novel_id = entry.id
      )
      -- a novel of one volume has no row of it
      || array(
        select stated.other_external_id
        from source_records record
        join source_same_as stated using (source, kind, external_id)
        where record.kind = 'light_novel' and record.entry_id = entry.id and stated.other_source = 'isbn'
      )`,
  },
  manga: {
    titles: BOOK_TITLES,
    chinese: 'array[entry.name_cn]',
    aliases: `${texts('entry.other_names')} || ${volumeNames('manga_volumes', 'manga_id')}`,
    isbns: `array[entry.isbn]
      || array(select edition #>> '{fields,isbn}' from jsonb_array_elements(entry.editions) edition)
      || array(select volume.isbn from manga_volumes volume where volume.manga_id = entry.id)`,
  },
  person: {
    titles: 'array[entry.name]',
    chinese: 'array[entry.trans_name]',
    aliases: `${texts('entry.aliases')}
      || array(select credit.credited_as from galgame_staff credit where credit.person_id = entry.id)
      || array(select credit.credited_as from galgame_character_actors credit where credit.person_id = entry.id)`,
  },
  producer: {
    titles: 'array[entry.name]',
    chinese: 'array[entry.trans_name]',
    aliases: texts('entry.aliases'),
  },
  character: {
    titles: 'array[entry.name, entry.en_name]',
    chinese: 'array[entry.trans_name]',
    aliases: texts('entry.aliases'),
  },
}

function namesSql(kind: EntryKind) {
  const { titles, chinese, aliases, isbns = `'{}'::text[]` } = NAMES[kind]
  return `
  select
    entry.id,
    ${isWorkKind(kind) ? 'work.nsfw' : 'false'} as nsfw,
    coalesce(${POPULARITY}, 0) as readers,
    ${titles} as titles,
    ${chinese} as chinese,
    ${aliases} as aliases,
    ${isbns} as isbns
  from ${KINDS[kind].table} entry
  ${isWorkKind(kind) ? 'join works work on work.id = entry.id' : ''}
  left join listings listing on listing.kind = '${kind}' and listing.id = entry.id
  where entry.id = any($1::bigint[])
    and not exists (select from merged_entries merged where merged.kind = '${kind}' and merged.id = entry.id)`
}

const readNamesOf = (kind: EntryKind) =>
  statement(`search.read_names_of_${kind}`).returning<HashedNames>(
    `select names.*, md5(row (titles, chinese, aliases, isbns)::text)::uuid as hash from (${namesSql(kind)}) names`,
  )

const READ_NAMES = byKind(readNamesOf)

/** Reads the names of those entries that exist, with a hash of the names. */
export const readNames = (db: Database, kind: EntryKind, ids: number[]): Promise<HashedNames[]> =>
  queryRows(db, READ_NAMES[kind], [ids])

export type HashedNames = NamesOfEntry & { hash: string }
