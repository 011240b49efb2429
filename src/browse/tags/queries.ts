import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import type { ListedTag } from './schemas.ts'
import { MAX_EXACT_TOTAL } from '../../http/wire/requests/paging.ts'

type TagPage = { tags: ListedTag[]; total: number }

/** @param amount column of `tag_listings` with the number of works visible to the caller */
const pageOf = (amount: string, matches: string, first: string) => `
  with page as (
    select tag.tag_id, tag.${amount} as works
    from tag_listings tag
    where tag.${amount} > 0 and ${matches}
    order by ${first} tag.${amount} desc, (-tag.tag_id) desc
    offset $1 limit $2
  )
  select
    (
      select count(*) from (
        select from tag_listings tag where tag.${amount} > 0 and ${matches} limit ${MAX_EXACT_TOTAL}
      ) counted
    ) as total,
    (
      select coalesce(
        json_agg(
          json_build_object('id', tag.id, 'name', tag.name, 'works', listed.works) order by listed.place
        ),
        '[]'
      )
      from (select page.*, row_number() over () as place from page) listed
      join tags tag on tag.id = listed.tag_id
    ) as tags`

/** Condition for names that contain `$3`. Names that begin with it sort first. */
const PART = `tag.grams @> name_grams(fold_name($3)) and strpos(tag.name, fold_name($3)) > 0`
const statementsOf = (amount: 'everybody' | 'total') => ({
  all: statement(`browse.all_tags_${amount}`).returning<TagPage>(pageOf(amount, 'true', '')),
  part: statement(`browse.tags_with_part_${amount}`).returning<TagPage>(
    pageOf(amount, PART, 'starts_with(tag.name, fold_name($3)) desc,'),
  ),
})
const STATEMENTS = { everybody: statementsOf('everybody'), total: statementsOf('total') }

/** Lists the tags whose names contain a string, or all tags if it is empty, most works first. */
export async function listTags(
  db: Reads,
  { q, offset, limit, seesNsfw }: { q: string; offset: number; limit: number; seesNsfw: boolean },
): Promise<TagPage> {
  const { all, part } = STATEMENTS[seesNsfw ? 'total' : 'everybody']
  const [found] = await (q === ''
    ? queryRows(db, all, [offset, limit])
    : queryRows(db, part, [offset, limit, q]))
  return found ?? { tags: [], total: 0 }
}

const USED_TAGS = statement('browse.used_tags').returning<{ name: string; works: number }>(`
  select found.name, found.works
  from (
    select tag.name, case when $2::boolean then listing.total else listing.everybody end as works
    from tags tag
    join tag_listings listing on listing.tag_id = tag.id
    where tag.name = any($1::text[])
  ) found
  where found.works > 0`)

/** Maps each tag to its number of works visible to the caller. Tags without such works are omitted. */
export async function findUsedTags(
  db: Reads,
  names: string[],
  seesNsfw: boolean,
): Promise<Map<string, number>> {
  const rows = await queryRows(db, USED_TAGS, [names, seesNsfw])
  return new Map(rows.map(({ name, works }) => [name, works]))
}

const NAMED_LIKE_ENTRIES = statement('browse.tags_named_like_entries').returning<{ name: string }>(`
  select tag.name
  from unnest(${forAnyValue('$1::text[]')}) tag (name)
  where exists (
    select
    from unnest(${forAnyValue('$2::text[]')}) entry (kind)
    cross join unnest(array[false, true]) visible (nsfw)
    cross join lateral (
      select from listings listing
      where listing.kind = entry.kind and listing.nsfw = visible.nsfw and listing.name = fold_name(tag.name)
      limit 1
    ) found
  )`)

/** Returns those of the tags that are also the name of a work, person, producer or character. */
export async function findTagsNamedLikeEntries(db: Reads, names: string[]): Promise<Set<string>> {
  const rows = await queryRows(db, NAMED_LIKE_ENTRIES, [names, ENTRY_KINDS])
  return new Set(rows.map(({ name }) => name))
}
