import { sql } from 'kysely'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import {
  coversWithMediaSql,
  galgameCoversSql,
  isoDaySql,
  isoTimeSql,
  personRef,
  producerRef,
  workRefSql,
  workTitlesSql,
} from '../../catalog/sql-fragments.ts'
import type { ItemType } from '../schemas.ts'
import type { CollectionKey, OwnCollectionKey } from '../path-params.ts'

/** SQL condition on `collections collection`: the collection belongs to the user. */
export const ownCollection = (accountId: number, key: CollectionKey) => sql`
  collection.account_id = ${accountId}
  and ${key === 'default' ? sql`collection.is_default` : sql`collection.id = ${key}`}`

export const publicCollectionById = (id: number) => sql`
  collection.id = ${id}
  and ${isPublicCollection}`

/** SQL condition: the collection is not private, and its owner is active. */
export const isPublicCollection = sql`
  not collection.is_private
  and exists (
    select from accounts account
    where account.id = collection.account_id and account.banned_at is null and account.deletion_requested_at is null
      and account.approval_requested_at is null
  )`

export const publicCollectionsOwnedBy = (accountId: number) => sql`
  collection.account_id = ${accountId}
  and ${isPublicCollection}`

export const publicCollectionsContaining = (workId: number) => sql`
  ${isPublicCollection}
  and exists (
    select
    from collection_items item
    where item.account_id = collection.account_id
      and item.collection_id = collection.id
      and item.work_id = ${workId}
  )`

/** Members that the summaries of light novels and mangas share. */
const bookMembers = `
      'id', book.id,
      'name', book.name,
      'name_cn', book.name_cn,
      'publication_date', ${isoDaySql('book.publication_date')},
      'nsfw', work.nsfw,
      'covers', ${coversWithMediaSql('book.covers')}`

const REFERENCE = { person: personRef, producer: producerRef }

/** SQL for the first credit of a light novel with this relation, or null. */
const firstCredit = (target: 'person' | 'producer', relation: string) => `(
        select ${REFERENCE[target]}
        from light_novel_${KINDS[target].table} credit
        join ${KINDS[target].table} ${target} on ${target}.id = credit.${target}_id
        where credit.light_novel_id = book.id and credit.relation = '${relation}'
        order by credit.position
        limit 1
      )`

const producersOf = (credits: string, where: string, members: string) => `coalesce(
        (
          select json_agg(
            json_build_object(${members}'note', coalesce(credit.note, ''), 'producer', ${producerRef})
            order by credit.position
          )
          from ${credits} credit
          join producers producer on producer.id = credit.producer_id
          where ${where}
        ),
        '[]'
      )`

/** SQL for a status. Withdrawn works have the default status, like works whose sources state no status. */
const knownStatus = (table: string, column: string) =>
  `coalesce((select shown.${column} from ${table} shown where shown.id = book.id), 'SERIALIZING')`

/** SQL for the summary of a `work` row. */
const SUMMARY = `
  case work.kind
    when 'galgame' then (
      select json_build_object(
        'id', galgame.id,
        'origin_title', galgame.origin_title,
        'trans_title', galgame.trans_title,
        'release_date', ${isoDaySql('galgame.release_date')},
        'nsfw', work.nsfw,
        'covers', ${coversWithMediaSql(galgameCoversSql('galgame'))},
        'producers', ${producersOf('galgame_producers', 'credit.galgame_id = galgame.id', `'role', credit.role, `)}
      )
      from known_galgames galgame where galgame.id = work.id
    )
    when 'light_novel' then (
      select json_build_object(${bookMembers},
        'novel_status', ${knownStatus('light_novels', 'novel_status')},
        'author', ${firstCredit('person', 'author')},
        'bunko', ${firstCredit('producer', 'bunko')},
        'publishers', ${producersOf(
          'light_novel_producers',
          `credit.light_novel_id = book.id and credit.relation = 'publisher'`,
          '',
        )}
      )
      from known_light_novels book where book.id = work.id
    )
    when 'manga' then (
      select json_build_object(${bookMembers},
        'serial_status', ${knownStatus('mangas', 'serial_status')},
        'latest_chapter_at', (
          select ${isoDaySql('manga.latest_chapter_at')} from mangas manga where manga.id = book.id
        )
      )
      from known_mangas book where book.id = work.id
    )
  end`

/** Sort orders of `item`. Items without a position come last, most recently added first. */
export const ITEM_ORDERS = {
  added: sql`item.added_at desc, item.work_id desc`,
  position: sql`item.position nulls last, item.added_at desc, item.work_id desc`,
}
export type ItemOrder = keyof typeof ITEM_ORDERS

/** Columns of an item in the API that are user data. `work` is a row of `work_refs`. */
export const ITEM_COLUMNS = sql`
  work.kind as type,
  item.id,
  upper(work.kind) as work_type,
  item.work_id,
  item.note,
  ${sql.raw(isoTimeSql('item.added_at'))} as created_at,
  ${sql.raw(isoTimeSql('item.added_at'))} as added_at,
  ${sql.raw(isoTimeSql('item.updated_at'))} as updated_at`

/** Columns of an item in the API that come from the catalog. `toItems` renames `summary` to the type of the item. */
export const SHOWN_COLUMNS = `
  ${workRefSql('work.id', 'work.kind')} as work,
  ${SUMMARY} as summary`

type ItemFilter = {
  /** Owner of the collection. Each part of a statement names it, so that one machine runs the statement. */
  accountId: number
  kind?: ItemType | undefined
  /** Restricts the result to these works; null for no restriction. */
  works?: number[] | null
}

/** SQL condition on a row of `works`: the viewer may see the work, and a title contains the keyword. */
export const isShownWork = ({
  keyword,
  seesNsfw,
}: {
  keyword?: string | undefined
  seesNsfw: boolean
}) => sql`
  ${seesNsfw ? sql`true` : sql`not work.nsfw`}
  ${keyword ? sql`and strpos(lower(${sql.raw(workTitlesSql('work.id', 'work.kind'))}), lower(${keyword})) > 0` : sql``}`

/**
 * SQL for the number of items that the viewer may see. Only for pages of other users, which run on the coordinator and
 * may join the catalog.
 */
export function itemCount(seesNsfw: boolean) {
  if (seesNsfw) return sql`collection.item_count`
  return sql`(
    select count(*)
    from collection_items item
    join works work on work.id = item.work_id
    where ${IN_COLLECTION} and not work.nsfw
  )`
}

/** SQL for the number of items per type, as the API sends it. */
export const typeCounts = (filter: ItemFilter) => sql`(
  select json_build_object(
    'total', count(*),
    ${sql.raw(WORK_KINDS.map((kind) => `'${kind}', count(*) filter (where work.kind = '${kind}'),`).join(' '))}
    'article', 0,
    'post', 0
  )
  from collection_items item
  join work_refs work on work.id = item.work_id
  where ${itemsOf(filter)}
)`

/** SQL condition: the item is in `collection`. */
export const IN_COLLECTION = sql`
  item.account_id = collection.account_id
  and item.collection_id = collection.id`

/** SQL condition on `item` and `work`, a row of `work_refs`: the item is in `collection` and passes the filter. */
export const itemsOf = ({ accountId, kind, works }: ItemFilter) => sql`
  item.account_id = ${accountId}
  and ${IN_COLLECTION}
  ${kind === undefined ? sql`` : sql`and work.kind = ${kind}`}
  ${works ? sql`and item.work_id = any(${works}::bigint[])` : sql``}`

/** SQL condition: `collection` contains a work that is not for adults. */
export const hasSafeItem = sql`
  exists (
    select
    from collection_items item
    join works work on work.id = item.work_id
    where ${IN_COLLECTION} and not work.nsfw
  )`

/**
 * SQL for a CTE that locks the user's collection. Items are locked only after their collection, so that statements
 * cannot deadlock.
 */
export const lockedCollection = ({ accountId, key }: OwnCollectionKey) => sql`
  collection as materialized (
    select collection.account_id, collection.id
    from collections collection
    where ${ownCollection(accountId, key)}
    for no key update
  )`
