import type { EntryKind } from '../../catalog/kinds.ts'
import { idsWithRoleSql, type LinkedKind } from '../back-links/queries.ts'
import { summarySql } from '../summary.ts'
import type { Sort } from './sorts.ts'

/** Parameters of a list: its entries, their order and the start of the page. */
export type ListRequest = {
  kinds: EntryKind[]
  /** Values of `listings.nsfw` that are included. */
  nsfwValues: boolean[]
  /** Groups of facets. An entry must have at least one facet of each group. */
  groups: string[][]
  /** Facets of which an entry must have none. */
  excluded?: string[]
  minScore: number | undefined
  /** Role that an entry must have in a work. PostgreSQL reads all credits once per statement to find such entries. */
  role?: { kind: LinkedKind; name: string } | undefined
  /** Range of names, without its end. Used when sorting by name. */
  names?: { from: string; to: string | undefined } | undefined
  sort: Sort
  /** Range of dates (`YYYY-MM-DD`) that can match the filters. Used when sorting by date. */
  dates: { from: string; to: string } | undefined
  seesNsfw: boolean
  after: unknown[]
  offset: number
  limit: number
}

/** Entries of one kind and visibility. Each sort order has an index on them. */
export type Stream = { kind: EntryKind; nsfw: boolean }

/** Statement text with parameters. It contains only the requested conditions, so equal requests have equal texts. */
export type DynamicStatement = { text: string; parameters: unknown[] }

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
 * Returns the sort key at which a walk begins: the cursor, or the limit that the date or name filter sets, whichever
 * comes later in the order. If the condition contained both, an index scan would start at the earlier one and read all
 * newer entries.
 */
function startOf({ sort, after, dates, names }: ListRequest): unknown[] {
  const [first] = keysOf(sort)
  if (names && String(after[0]) < names.from) return [names.from, -1]
  // Compared as text, `infinity` sorts after all dates and `-infinity` before them.
  return first === 'released' && dates && String(after[0]) > dates.to ? [dates.to, 1] : after
}

/** SQL for the entries of one stream after the cursor, in order: a range of one index. */
function indexRange(request: ListRequest, parameters: Parameters, columns: string, length: number) {
  const { sort, minScore, dates, names } = request
  const begin = isAfter({ ...request, after: startOf(request) }, parameters)
  const conditions = ['kind = stream.kind', 'nsfw = stream.nsfw', begin]
  const [first] = keysOf(sort)
  if (first === 'weighted_score' && minScore !== undefined)
    conditions.push(`weighted_score >= ${parameters.add(minScore, 'numeric')}`)
  if (first === 'released' && dates)
    conditions.push(
      `released between ${parameters.add(dates.from, 'date')} and ${parameters.add(dates.to, 'date')}`,
    )
  if (names?.to !== undefined) conditions.push(`${first} < ${parameters.add(names.to, 'text')}`)
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

function filterConditions(
  { groups, excluded = [], minScore, role, seesNsfw }: ListRequest,
  parameters: Parameters,
) {
  return [
    ...groups.map((group) => `facets && ${parameters.add(group, 'text[]')}`),
    ...(excluded.length === 0 ? [] : [`not (facets && ${parameters.add(excluded, 'text[]')})`]),
    ...(minScore === undefined ? [] : [`weighted_score >= ${parameters.add(minScore, 'numeric')}`]),
    ...(role
      ? [
          `id in (${idsWithRoleSql(role.kind, parameters.add(role.name, 'text'), parameters.add(seesNsfw, 'boolean'))})`,
        ]
      : []),
  ]
}

const COLUMNS =
  'kind, id, nsfw, score, weighted_score, scores, source_votes, readers, readers_full, popularity, popularity_full, released, changed_at, name, name_original, name_en, name_ko, name_romaji'

const itemAndKeys = ({ kinds, sort, seesNsfw }: ListRequest, parameters: Parameters) => `
    (${summarySql('listing', parameters.add(seesNsfw, 'boolean'), kinds)})::text as item,
    json_build_array(${sort.columns.map(({ cursorValue: kept }) => kept).join(', ')}) as keys`

/**
 * Builds the statement that reads a page by walking the index of its order and skipping entries that do not match.
 * Each stream stops after `length` entries. Returns rows `{item, keys}`.
 */
export function walkStatement(
  request: ListRequest,
  streams: Stream[],
  length: number,
): DynamicStatement {
  const parameters = new Parameters()
  const { sort, offset, limit } = request
  const filters = filterConditions(request, parameters)
  const text = `
  select ${itemAndKeys(request, parameters)}
  from (
    select found.*
    from ${rowsOf(streams, parameters)}
    cross join lateral (
      select ${COLUMNS}
      from (${indexRange(request, parameters, `${COLUMNS}, facets`, length)}) walk
      ${filters.length > 0 ? `where ${filters.join(' and ')}` : ''}
      limit ${parameters.add(offset + limit, 'bigint')}
    ) found
    order by ${orderBy(sort)}
    offset ${parameters.add(offset, 'bigint')} limit ${parameters.add(limit, 'bigint')}
  ) listing
  order by ${orderBy(sort)}`
  return { text, parameters: parameters.values }
}

/** Builds the statement that checks whether this walk reaches the end of its streams. It returns one row `{ends}`. */
export function walkEndStatement(
  request: ListRequest,
  streams: Stream[],
  length: number,
): DynamicStatement {
  const parameters = new Parameters()
  const text = `
  select bool_and(walked.amount < ${length}) as ends
  from ${rowsOf(streams, parameters)}
  cross join lateral (select count(*) as amount from (${indexRange(request, parameters, '1', length)}) walk) walked`
  return { text, parameters: parameters.values }
}

/**
 * Returns the conditions on `listings` that an index supports: those on facets or, without facets, the one on the
 * weighted score.
 */
function matchConditions(request: ListRequest, parameters: Parameters) {
  const { kinds, nsfwValues, groups, names, sort } = request
  const conditions = filterConditions(request, parameters)
  const [first] = keysOf(sort)
  if (names) conditions.push(`${first} >= ${parameters.add(names.from, 'text')}`)
  if (names?.to !== undefined) conditions.push(`${first} < ${parameters.add(names.to, 'text')}`)
  if (groups.length === 0) conditions.push(`kind = any(${parameters.add(kinds, 'text[]')})`)
  // Facets already imply the kind. Without a condition on nsfw, a count need not read the entries.
  if (groups.length === 0 || nsfwValues.length < 2)
    conditions.push(`nsfw = any(${parameters.add(nsfwValues, 'boolean[]')})`)
  return conditions.join(' and ')
}

/**
 * Builds the statement that sorts all matches to find the page and counts them, for filters with few matches.
 * Returns at least one row `{total, item, keys}`.
 */
export function matchStatement(request: ListRequest): DynamicStatement {
  const parameters = new Parameters()
  const { sort, offset, limit } = request
  const text = `
  with matching as materialized (
    select ${COLUMNS} from listings where ${matchConditions(request, parameters)}
  )
  select total.amount as total, page.item, page.keys
  from (select count(*) as amount from matching) total
  left join lateral (
    select ${itemAndKeys(request, parameters)}
    from (
      select * from matching
      where ${isAfter(request, parameters)}
      order by ${orderBy(sort)}
      offset ${parameters.add(offset, 'bigint')} limit ${parameters.add(limit, 'bigint')}
    ) listing
    order by ${orderBy(sort)}
  ) page on true`
  return { text, parameters: parameters.values }
}

/**
 * Builds the statement that counts the matches among the first `length` entries of each kind, ordered by id, up to
 * `maximum`. Entries with adjacent ids are stored together, so this is fast for filters with many matches. Returns one
 * row `{amount}`.
 */
export function countFirstStatement(
  request: ListRequest,
  maximum: number,
  length: number,
): DynamicStatement {
  const parameters = new Parameters()
  const kinds = parameters.add(request.kinds, 'text[]')
  const conditions = [
    ...filterConditions(request, parameters),
    `nsfw = any(${parameters.add(request.nsfwValues, 'boolean[]')})`,
  ]
  const text = `
  select count(*) as amount
  from (
    select
    from unnest(${kinds}) wanted (kind)
    cross join lateral (
      select nsfw, weighted_score, facets from listings where kind = wanted.kind order by kind, id limit ${length}
    ) first
    where ${conditions.join(' and ')}
    limit ${maximum}
  ) counted`
  return { text, parameters: parameters.values }
}

/** Builds the statement that counts all matches, up to `maximum`. Returns one row `{amount}`. */
export function countStatement(request: ListRequest, maximum: number): DynamicStatement {
  const parameters = new Parameters()
  const text = `
  select count(*) as amount
  from (select from listings where ${matchConditions(request, parameters)} limit ${maximum}) counted`
  return { text, parameters: parameters.values }
}
