import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import { integerOf, isTrue } from '../../dump/tables/copy-text.ts'
import { stageTable } from '../../dump/tables/dump-tables.ts'
import { BOOLEAN, BOOLEAN_OR_NULL } from '../../dump/known-values.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import type { Tag } from '../../records/record-fields.ts'

/** `category` is `cont`, `tech` or, of sexual content, `ero`. */
export type TagRow = { name: string; category: string | null; likes: number }

/** Readers who vote for a tag give it 1 to 3: where the mean is lower, others say that it is not so. */
const LEAST_VOTE = 1

/** The mean from which on VNDB itself calls a tag a spoiler. */
const LEAST_SPOILER = 0.4

/**
 * Stages the tags of novels as `dump_vn_tags (id, n, name, category, likes)`, those most readers gave first.
 *
 * Left out are what moderators left out (`ignore`), tags that only group others, what is a spoiler or not true in the end
 * (`lie`), and what readers do not agree on. Who says nothing of spoilers leaves it to the tag.
 */
export async function stageTags(dump: DumpReading, trx: Database): Promise<void> {
  await stageTable(dump, trx, 'tags', {
    columns: ['id', 'cat', 'defaultspoil', 'searchable', 'applicable', 'name'],
    keep: ({ name, searchable, applicable }) =>
      Boolean(name) && isTrue(searchable) && isTrue(applicable),
    key: 'id',
    known: { cat: new Set(['cont', 'ero', 'tech']), searchable: BOOLEAN, applicable: BOOLEAN },
  })
  await stageTable(dump, trx, 'tags_vn', {
    columns: ['tag', 'vid', 'vote', 'spoiler', 'ignore', 'lie'],
    keep: ({ vote, spoiler, ignore }) =>
      isSmall(vote) && (spoiler === null || isSmall(spoiler)) && !isTrue(ignore),
    known: { ignore: BOOLEAN, lie: BOOLEAN_OR_NULL },
  })
  await createTemporaryTable(trx, 'dump_vn_tags')`
    select
      vote.vid as id,
      row_number() over (partition by vote.vid order by count(*) filter (where vote.vote::integer > 0) desc, min(tag.n)) as n,
      min(tag.name) as name,
      min(tag.cat) as category,
      count(*) filter (where vote.vote::integer > 0) as likes
    from dump_tags_vn vote
    join dump_tags tag on tag.id = vote.tag
    group by vote.vid, vote.tag
    having avg(vote.vote::integer) >= ${sql.lit(LEAST_VOTE)}
      and coalesce(avg(vote.spoiler::integer), min(${defaultSpoiler})) <= ${sql.lit(LEAST_SPOILER)}
      and 2 * count(*) filter (where vote.lie = 't') < greatest(count(vote.lie), 1)`
}

const defaultSpoiler = sql`case when tag.defaultspoil in ('1', '2') then 1 else 0 end`

const isSmall = (text: string | null) => Math.abs(integerOf(text) ?? 10) < 10

/** Sexual tags are those of novels for adults: the others are shown to readers who asked for nothing of the kind. */
export const tagsOf = (rows: TagRow[], isForAdults: boolean): Tag[] =>
  rows
    .filter(({ category }) => isForAdults || category !== 'ero')
    .map(({ name, likes }) => ({ name, likes }))
