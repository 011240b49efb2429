import type { EntryKind } from '../../catalog/kinds.ts'
import { summarySql } from '../summary.ts'
import type { Sort } from './sorts.ts'

/** What is asked of the read model: which entries, in which order, from where on. */
export type ListRequest = {
  kinds: EntryKind[]
  /** Which of `listings.nsfw` are looked at. */
  shown: boolean[]
  /** Each: facets of which an entry has any. */
  groups: string[][]
  minScore: number | undefined
  sort: Sort
  /** Outside of which no entry passes the filters, in an order by date: `YYYY-MM-DD`. */
  dates: { from: string; to: string } | undefined
  seesNsfw: boolean
  after: unknown[]
  offset: number
  limit: number
}

/** The entries of one kind and visibility: each order has an index of them. */
export type Stream = { kind: EntryKind; nsfw: boolean }

/** A text and its parameters: what was not asked for is in neither, and texts that ask for the same things are the same. */
export type MadeStatement = { text: string; parameters: unknown[] }

class Parameters {
  readonly values: unknown[] = []

  add(value: unknown, type: string): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}

const keysOf = ({ columns }: Sort) => columns.map(({ expression }) => expression)

const orderBy = (sort: Sort) =>
  keysOf(sort)
    .map((key) => `${key} ${sort.direction}`)
    .join(', ')

function isAfter({ sort, after }: ListRequest, parameters: Parameters) {
  const values = sort.columns.map(({ type }, index) => parameters.add(after[index], type))
  return `(${keysOf(sort).join(', ')}) ${sort.direction === 'desc' ? '<' : '>'} (${values.join(', ')})`
}

/**
 * Where a walk begins: at the cursor, or at the end of the dates when that comes later. An index scan with both bounds would
 * begin at the former, and pass over all that is newer.
 */
function startOf({ sort, after, dates }: ListRequest): unknown[] {
  const [first] = keysOf(sort)
  // As texts `infinity` is behind all days, and `-infinity` before them.
  return first === 'released' && dates && String(after[0]) > dates.to ? [dates.to, 1] : after
}

/** Those of one kind and visibility, in order, behind the cursor: a stretch of one index. */
function stretch(request: ListRequest, parameters: Parameters, columns: string, length: number) {
  const { sort, minScore, dates } = request
  const begin = isAfter({ ...request, after: startOf(request) }, parameters)
  const conditions = ['kind = stream.kind', 'nsfw = stream.nsfw', begin]
  const [first] = keysOf(sort)
  if (first === 'score' && minScore !== undefined)
    conditions.push(`score >= ${parameters.add(minScore, 'numeric')}`)
  if (first === 'released' && dates)
    conditions.push(
      `released between ${parameters.add(dates.from, 'date')} and ${parameters.add(dates.to, 'date')}`,
    )
  return `select ${columns} from listings where ${conditions.join(' and ')} order by ${orderBy(sort)} limit ${length}`
}

function rowsOf(streams: Stream[], parameters: Parameters) {
  const kinds = parameters.add(
    streams.map(({ kind }) => kind),
    'text[]',
  )
  const nsfw = parameters.add(
    streams.map((stream) => stream.nsfw),
    'boolean[]',
  )
  return `unnest(${kinds}, ${nsfw}) stream (kind, nsfw)`
}

function passes({ groups, minScore }: ListRequest, parameters: Parameters) {
  return [
    ...groups.map((group) => `facets && ${parameters.add(group, 'text[]')}`),
    ...(minScore === undefined ? [] : [`score >= ${parameters.add(minScore, 'numeric')}`]),
  ]
}

const COLUMNS = 'kind, id, nsfw, score, readers, readers_full, released, name, changed_at'

const itemAndKeys = ({ sort, seesNsfw }: ListRequest, parameters: Parameters) => `
    (${summarySql('listing', parameters.add(seesNsfw, 'boolean'))})::text as item,
    json_build_array(${sort.columns.map(({ kept }) => kept).join(', ')}) as keys`

/**
 * The page, found by walking the order's index and leaving out what does not pass; it gives up after `length` entries of
 * a stream. Rows `{item, keys}`.
 */
export function walkStatement(
  request: ListRequest,
  streams: Stream[],
  length: number,
): MadeStatement {
  const parameters = new Parameters()
  const { sort, offset, limit } = request
  const filters = passes(request, parameters)
  const text = `
  select ${itemAndKeys(request, parameters)}
  from (
    select found.*
    from ${rowsOf(streams, parameters)}
    cross join lateral (
      select ${COLUMNS}
      from (${stretch(request, parameters, `${COLUMNS}, facets`, length)}) walk
      ${filters.length > 0 ? `where ${filters.join(' and ')}` : ''}
      limit ${parameters.add(offset + limit, 'bigint')}
    ) found
    order by ${orderBy(sort)}
    offset ${parameters.add(offset, 'bigint')} limit ${parameters.add(limit, 'bigint')}
  ) listing
  order by ${orderBy(sort)}`
  return { text, parameters: parameters.values }
}

/** Whether such a walk comes to the end of all it could walk. One row `{ends}`. */
export function walkEndStatement(
  request: ListRequest,
  streams: Stream[],
  length: number,
): MadeStatement {
  const parameters = new Parameters()
  const text = `
  select bool_and(walked.amount < ${length}) as ends
  from ${rowsOf(streams, parameters)}
  cross join lateral (select count(*) as amount from (${stretch(request, parameters, '1', length)}) walk) walked`
  return { text, parameters: parameters.values }
}

/** Conditions on `listings` that an index answers: of the facets, or else of the score. */
function matching(request: ListRequest, parameters: Parameters) {
  const { kinds, shown, groups } = request
  const conditions = passes(request, parameters)
  if (groups.length === 0) conditions.push(`kind = any(${parameters.add(kinds, 'text[]')})`)
  // Facets are of one kind; and without a condition on nsfw a count need not look at entries at all.
  if (groups.length === 0 || shown.length < 2)
    conditions.push(`nsfw = any(${parameters.add(shown, 'boolean[]')})`)
  return conditions.join(' and ')
}

/** The page out of all that pass, and their number: for filters that few pass. Rows `{total, item, keys}`, at least one. */
export function matchStatement(request: ListRequest): MadeStatement {
  const parameters = new Parameters()
  const { sort, offset, limit } = request
  const text = `
  with matches as materialized (
    select ${COLUMNS} from listings where ${matching(request, parameters)}
  )
  select total.amount as total, page.item, page.keys
  from (select count(*) as amount from matches) total
  left join lateral (
    select ${itemAndKeys(request, parameters)}
    from (
      select * from matches
      where ${isAfter(request, parameters)}
      order by ${orderBy(sort)}
      offset ${parameters.add(offset, 'bigint')} limit ${parameters.add(limit, 'bigint')}
    ) listing
    order by ${orderBy(sort)}
  ) page on true`
  return { text, parameters: parameters.values }
}

/**
 * How many of the first `length` entries of each kind, by id, pass, at most `most`: entries with near ids were written
 * together, so that this is fast where many pass. One row `{amount}`.
 */
export function countFirstStatement(
  request: ListRequest,
  most: number,
  length: number,
): MadeStatement {
  const parameters = new Parameters()
  const kinds = parameters.add(request.kinds, 'text[]')
  const conditions = [
    ...passes(request, parameters),
    `nsfw = any(${parameters.add(request.shown, 'boolean[]')})`,
  ]
  const text = `
  select count(*) as amount
  from (
    select
    from unnest(${kinds}) wanted (kind)
    cross join lateral (
      select nsfw, score, facets from listings where kind = wanted.kind order by kind, id limit ${length}
    ) first
    where ${conditions.join(' and ')}
    limit ${most}
  ) counted`
  return { text, parameters: parameters.values }
}

/** How many pass, at most `most`. One row `{amount}`. */
export function countStatement(request: ListRequest, most: number): MadeStatement {
  const parameters = new Parameters()
  const text = `
  select count(*) as amount
  from (select from listings where ${matching(request, parameters)} limit ${most}) counted`
  return { text, parameters: parameters.values }
}
