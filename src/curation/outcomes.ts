import { sql } from 'kysely'
import { printableWithin } from '../kernel/printable.ts'
import type { Database } from '../db/database.ts'
import { createTemporaryTable } from '../db/temporary-table.ts'
import type { Source } from '../sources/records/record.ts'
import { stagedDiffers } from './records/staged-differences.ts'
import { RECORD_KIND_NAMES } from '../sources/records/record-kinds.ts'

export type Example = {
  kind: string
  external_id: string
  title: string | null
  /** Record from another source that describes the same entry. */
  same_as?: string
}

const MAX_TITLE_LENGTH = 200

export const MAX_EXAMPLES = 10

const kindOrder = sql.raw(`array[${RECORD_KIND_NAMES.map((kind) => `'${kind}'`).join(', ')}]`)
const titleIn = (record: string) =>
  sql.raw(`coalesce(${record}.fields ->> 'origin_title', ${record}.fields ->> 'name')`)

/** Creates the temporary table `outcomes`: the outcome of every staged record, and of every record to be withdrawn. */
export async function compareStaged(
  trx: Database,
  source: Source,
  isWhole: boolean,
): Promise<void> {
  await createTemporaryTable(trx, 'outcomes')`
    select
      kind,
      external_id,
      title,
      null::text as same_as,
      ordinal,
      case
        when is_new then 'created'
        when is_back then 'returned'
        when differs then 'changed'
        else 'unchanged'
      end as outcome
    from (
      select
        staged.kind,
        staged.external_id,
        staged.ordinal,
        resolved.is_new,
        ${titleIn('staged')} as title,
        known.external_id is null and not resolved.is_new as is_back,
        known.external_id is not null and known.hash is distinct from staged.hash and ${stagedDiffers(source)}
          as differs
      from staged
      join resolved on resolved.ordinal = staged.ordinal
      left join source_records known
        on known.source = ${source} and known.kind = staged.kind and known.external_id = staged.external_id
    ) compared
    union all
    select record.kind, record.external_id, ${titleIn('record')}, null, 0, 'withdrawn'
    from source_records record
    where ${isWhole}
      and record.source = ${source}
      and not exists (
        select from staged where staged.kind = record.kind and staged.external_id = record.external_id
      )`
}

/** Marks new records in `outcomes` that joined an entry from another source, and stores that source's record. */
export async function markJoined(trx: Database, source: Source): Promise<void> {
  await sql`
    update outcomes set outcome = 'joined', same_as = joined.same_as
    from (
      select record.kind, record.external_id, min(other.source || ' ' || other.external_id) as same_as
      from source_records record
      join source_records other
        on other.kind = record.kind and other.entry_id = record.entry_id and other.source <> record.source
      where record.source = ${source}
      group by record.kind, record.external_id
    ) joined
    where outcomes.outcome = 'created'
      and (joined.kind, joined.external_id) = (outcomes.kind, outcomes.external_id)`.execute(trx)
}

export type Examples = Record<
  'created' | 'changed' | 'withdrawn' | 'returned' | 'joined',
  Example[]
>

/** Lists the first records of each outcome that changes the catalog, works first. */
export async function listExamples(trx: Database): Promise<Examples> {
  const { rows } = await sql<{
    outcome: keyof Examples
    kind: string
    external_id: string
    title: string | null
    same_as: string | null
  }>`
    select outcome, kind, external_id, title, same_as
    from (
      select outcomes.*, row_number() over (
        partition by outcome order by array_position(${kindOrder}, kind), ordinal, external_id
      ) as place
      from outcomes
      where outcome <> 'unchanged'
    ) placed
    where place <= ${MAX_EXAMPLES}
    order by place`.execute(trx)
  const examples: Examples = { created: [], changed: [], withdrawn: [], returned: [], joined: [] }
  for (const { outcome, same_as, title, ...example } of rows)
    examples[outcome].push({
      ...example,
      title: title === null ? null : printableWithin(MAX_TITLE_LENGTH, title),
      ...(same_as !== null && { same_as }),
    })
  return examples
}
