import type { WorkKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { recordOf } from '../../kernel/typed-records.ts'
import type { EntrySummary } from '../summary.ts'
import { listSummaries } from '../summary-queries.ts'
import { creditsSql, LINKED_KINDS, type LinkedKind } from './queries.ts'

/** Most frequent role and most popular work of an entry. */
export type BestKnown = { role: string | null; work: EntrySummary }

/** Maximum number of credits read per entry. */
const MAX_CREDITS = 1_000

const STATEMENTS = recordOf(LINKED_KINDS, (kind) =>
  statement(`browse.best_known_${kind}`).returning<{
    id: number
    role: string | null
    work_kind: WorkKind
    work_id: number
  }>(`
  select entry.id, known.role, known.work_kind, known.work_id
  from unnest($1::bigint[]) entry (id)
  cross join lateral (
    select
      mode() within group (order by nullif(credit.role, '')) as role,
      (array_agg(listing.kind order by listing.popularity desc, listing.id))[1] as work_kind,
      (array_agg(listing.id order by listing.popularity desc, listing.id))[1] as work_id
    from (select * from (${creditsSql(kind, 'entry.id')}) found limit ${MAX_CREDITS}) credit
    join listings listing on listing.kind = credit.kind and listing.id = credit.work_id
    where $2::boolean or not listing.nsfw
    having count(*) > 0
  ) known`),
)

/** Finds what entries are best known for, keyed by id. Entries without visible works are missing. */
export async function findBestKnown(
  db: Reads,
  kind: LinkedKind,
  ids: number[],
  seesNsfw: boolean,
): Promise<Map<number, BestKnown>> {
  if (ids.length === 0) return new Map()
  const rows = await queryRows(db, STATEMENTS[kind], [ids, seesNsfw])
  const keys = rows.map(({ work_kind, work_id }) => ({ kind: work_kind, id: work_id }))
  const works = new Map(
    (await listSummaries(db, keys, seesNsfw)).map((work) => [`${work.type} ${work.id}`, work]),
  )
  return new Map(
    rows.flatMap(({ id, role, work_kind, work_id }) => {
      const work = works.get(`${work_kind} ${work_id}`)
      return work ? [[id, { role, work }] as const] : []
    }),
  )
}
