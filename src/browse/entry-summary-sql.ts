import { summarySql } from './summary.ts'

/**
 * Returns SQL for an entry's `EntrySummary` as JSON, or null if the entry does not exist. An entry without a row in
 * `listings` has 0 users.
 *
 * @param entry alias of a row with `kind` and `id`
 * @param seesNsfw SQL for whether the caller sees nsfw works
 */
export const entrySummarySql = (entry: string, seesNsfw: string) => `(
    select ${summarySql('listed', seesNsfw)}
    from (
      select
        ${entry}.kind,
        ${entry}.id,
        coalesce(work.nsfw, false) as nsfw,
        coalesce(listing.score, 0) as score,
        coalesce(listing.readers, 0) as readers,
        coalesce(listing.readers_full, 0) as readers_full,
        coalesce(listing.changed_at, work.updated_at, now()) as changed_at
      from (select) nothing
      left join listings listing on listing.kind = ${entry}.kind and listing.id = ${entry}.id
      left join works work on work.id = ${entry}.id and work.kind = ${entry}.kind
    ) listed
  )`
