import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { columnListOf } from './column-list.ts'
import type { WorkMerge } from './work-merge.ts'

const KEEP = statement('merging.keep_items').returning<{
  collectionId: number
  isDoubled: boolean
  note: string
}>(`
  insert into merged_items (account_id, merge_id, collection_id, from_item, into_item, left_item)
  select
    item.account_id, $2, item.collection_id, to_jsonb(item),
    case when other.work_id is not null then to_jsonb(other) end,
    case when other.work_id is null then to_jsonb(item)
      else jsonb_set(to_jsonb(other), '{note}', to_jsonb(coalesce(nullif(other.note, ''), item.note)))
    end
  from collection_items item
  left join collection_items other
    on other.account_id = $1 and other.collection_id = item.collection_id and other.work_id = $4
  where item.account_id = $1 and item.work_id = $3
  returning collection_id as "collectionId", into_item is not null as "isDoubled", left_item ->> 'note' as note`)

const SET_NOTE = statement('merging.set_item_note').sql(`
  update collection_items set note = $4
  where account_id = $1 and collection_id = $2 and work_id = $3 and note <> $4`)

const REMOVE = statement('merging.remove_item').sql(
  'delete from collection_items where account_id = $1 and collection_id = $2 and work_id = $3',
)

const COUNT_REMOVED = statement('merging.count_removed_item').sql(
  'update collections set item_count = item_count - 1 where account_id = $1 and id = $2',
)

const MOVE = statement('merging.move_items').sql(
  'update collection_items set work_id = $3 where account_id = $1 and work_id = $2',
)

/**
 * Moves the items of a user's collections. If a collection contains both works, one item remains, with its own note or
 * else the note of the other item.
 */
export async function moveItems(
  trx: Database,
  accountId: number,
  { id, from, into }: WorkMerge,
): Promise<void> {
  const kept = await queryRows(trx, KEEP, [accountId, id, from, into])
  for (const { collectionId, isDoubled, note } of kept) {
    if (!isDoubled) continue
    await queryRows(trx, SET_NOTE, [accountId, collectionId, into, note])
    await queryRows(trx, REMOVE, [accountId, collectionId, from])
    await queryRows(trx, COUNT_REMOVED, [accountId, collectionId])
  }
  await queryRows(trx, MOVE, [accountId, from, into])
}

const LIST = statement('merging.list_merged_items').returning<{
  collectionId: number
  item: string
  intoNote: string | null
  isUntouched: boolean
}>(`
  select
    kept.collection_id as "collectionId", kept.from_item::text as item, kept.into_item ->> 'note' as "intoNote",
    current.note = kept.left_item ->> 'note' as "isUntouched"
  from merged_items kept
  join collection_items current
    on current.account_id = $1 and current.collection_id = kept.collection_id and current.work_id = $3
  where kept.account_id = $1 and kept.merge_id = $2
  order by kept.collection_id`)

const MOVE_ONE = statement('merging.move_item').sql(`
  update collection_items set work_id = $4
  where account_id = $1 and collection_id = $2 and work_id = $3`)

/** The second item does not fit into a collection that has reached its maximum size. */
const COUNT_RESTORED = statement('merging.count_restored_item').returning<{ id: number }>(`
  update collections set item_count = item_count + 1
  where account_id = $1 and id = $2 and item_count < 10000
  returning id`)

const ITEM = columnListOf<'collection_items'>({
  account_id: true,
  collection_id: true,
  work_id: true,
  id: true,
  note: true,
  position: true,
  added_at: true,
  updated_at: true,
  last_put: true,
})

const RESTORE = statement('merging.restore_item').sql(`
  insert into collection_items (${ITEM})
  select ${ITEM}
  -- Items of earlier merges have no id.
  from jsonb_populate_record(null::collection_items, jsonb_build_object('id', random_id()) || $1::jsonb)`)

const FORGET = statement('merging.forget_items').sql(
  'delete from merged_items where account_id = $1 and merge_id = $2',
)

/** Moves items back when a merge is undone. */
export async function restoreItems(
  trx: Database,
  accountId: number,
  { id, from, into }: WorkMerge,
): Promise<void> {
  const kept = await queryRows(trx, LIST, [accountId, id, into])
  for (const { collectionId, item, intoNote, isUntouched } of kept) {
    if (isUntouched && intoNote === null) {
      await queryRows(trx, MOVE_ONE, [accountId, collectionId, into, from])
      continue
    }
    if (isUntouched) await queryRows(trx, SET_NOTE, [accountId, collectionId, into, intoNote])
    if (await queryRow(trx, COUNT_RESTORED, [accountId, collectionId]))
      await queryRows(trx, RESTORE, [item])
  }
  await queryRows(trx, FORGET, [accountId, id])
}
