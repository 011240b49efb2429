import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { createTemporaryTable } from '../../../db/temporary-table.ts'
import { integerOf, isTrue } from '../../dump/tables/copy-text.ts'
import { stageTable } from '../../dump/tables/stage-table.ts'
import { BOOLEAN, BOOLEAN_OR_NULL } from '../../dump/known-values.ts'
import type { DumpReading } from '../../dump/dump-source.ts'
import type { SpoilerTag, Tag } from '../../records/record-fields.ts'

/**
 * `category` is `cont` (content), `tech` (technical) or `ero` (sexual content). `spoiler` is 0 (none), 1 (minor) or 2
 * (major).
 */
export type TagRow = { name: string; category: string | null; likes: number; spoiler: number }

/** Minimum mean vote. Users vote 1 to 3 for a tag, and use negative values against it. */
const MIN_MEAN_VOTE = 1

/** Mean spoiler votes above which VNDB treats a tag as a minor and as a major spoiler. */
const MINOR_SPOILER = 0.4
const MAJOR_SPOILER = 1.3

/**
 * Stages the tags of galgames as `dump_vn_tags (id, n, name, category, likes, spoiler)`, most votes first. Omits votes
 * that moderators ignored (`ignore`), tags that only group other tags, tags that turn out to be false (`lie`), and tags
 * that users disagree on. A vote without a spoiler level has the default level of its tag.
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
      isSingleDigit(vote) && (spoiler === null || isSingleDigit(spoiler)) && !isTrue(ignore),
    known: { ignore: BOOLEAN, lie: BOOLEAN_OR_NULL },
  })
  await createTemporaryTable(trx, 'dump_vn_tags')`
    select
      vote.vid as id,
      row_number() over (partition by vote.vid order by count(*) filter (where vote.vote::integer > 0) desc, min(tag.n)) as n,
      min(tag.name) as name,
      min(tag.cat) as category,
      count(*) filter (where vote.vote::integer > 0) as likes,
      case
        when coalesce(avg(vote.spoiler::integer), min(${defaultSpoiler})) > ${sql.lit(MAJOR_SPOILER)} then 2
        when coalesce(avg(vote.spoiler::integer), min(${defaultSpoiler})) > ${sql.lit(MINOR_SPOILER)} then 1
        else 0
      end as spoiler
    from dump_tags_vn vote
    join dump_tags tag on tag.id = vote.tag
    group by vote.vid, vote.tag
    having avg(vote.vote::integer) >= ${sql.lit(MIN_MEAN_VOTE)}
      and 2 * count(*) filter (where vote.lie = 't') < greatest(count(vote.lie), 1)`
}

const defaultSpoiler = sql`case when tag.defaultspoil in ('1', '2') then tag.defaultspoil::integer else 0 end`

const isSingleDigit = (text: string | null) => Math.abs(integerOf(text) ?? 10) < 10

/**
 * Returns a galgame's tags, and those that are spoilers. Sexual tags are kept only for adult galgames, because the
 * others are shown to everyone.
 */
export function tagsOf(
  rows: TagRow[],
  isForAdults: boolean,
): { tags: Tag[]; spoiler_tags: SpoilerTag[] } {
  const kept = rows.filter(({ category }) => isForAdults || category !== 'ero')
  return {
    tags: kept.filter(({ spoiler }) => spoiler === 0).map(({ name, likes }) => ({ name, likes })),
    spoiler_tags: kept
      .filter(({ spoiler }) => spoiler > 0)
      .map(({ name, likes, spoiler }) => ({ name, likes, level: spoiler })),
  }
}
