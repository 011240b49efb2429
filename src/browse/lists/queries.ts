import { queryRows, queryText } from '../../db/query.ts'
import { statement, type Statement } from '../../db/statement.ts'
import { inReadTransaction, type Reads } from '../../db/replicas/reads.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { facetOf, kindFacet } from '../facets.ts'
import type { Filter } from './filters.ts'
import {
  countFirstStatement,
  countStatement,
  matchStatement,
  walkEndStatement,
  walkStatement,
  type ListRequest,
  type DynamicStatement,
  type Stream,
} from './page-statements.ts'
import { MAX_EXACT_TOTAL } from '../../http/wire/requests/paging.ts'

/** An entry on a page: its summary as JSON (null if it has just been deleted) and its sort keys. */
type ListedEntry = { item: string | null; keys: unknown[] }
type ListedPage = { entries: ListedEntry[]; total: number }

/**
 * Maximum lengths of a walk per stream, for short and for long pages. The length is part of the statement's text,
 * because the planner would assume that a parameter covers the whole index.
 */
const WALK_LENGTHS = [6_000, 24_000] as const

/**
 * Minimum number of entries, in multiples of the walk's length, for which the planner chooses the walk without help.
 * With fewer entries, it prefers to sort all of them if it expects few matches.
 */
const MIN_WALKS_TO_TRUST_PLANNER = 20

/**
 * Maximum number of entries sampled per kind for a count. A filter with many matches reaches the maximum total within
 * the sample.
 */
const MAX_SAMPLED_ENTRIES = 20_000

const FACETS = statement('browse.facets').returning<{
  facet: string
  everybody: number
  nsfw: number
}>('select facet, everybody, nsfw from listing_facets where facet = any($1::text[])')
/** Used for statements that read all matches. The planner overestimates their number and would scan the whole table. */
const DISABLE_SEQSCAN = statement('browse.by_index').sql(
  `select set_config('enable_seqscan', 'off', true)`,
)
/** Used for statements that walk an index, whose entries are already in order. */
const DISABLE_SORT = statement('browse.in_order').sql(
  `select set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true)`,
)

/**
 * Streams with entries in every facet group, the number of their entries, and their number of entries in each group.
 * An entry with several facets of a group is counted several times.
 */
type Amounts = { streams: Stream[]; all: number; groups: number[]; excluded: number }

/**
 * Finds a page of a list and the total number of matches.
 *
 * @param knownTotal total returned with the first page, set for later pages
 */
export async function findListPage(
  db: Reads,
  request: ListRequest,
  knownTotal: number | undefined,
): Promise<ListedPage> {
  const amounts = await findAmounts(db, request)
  if (amounts.streams.length === 0) return { entries: [], total: 0 }
  const total =
    knownTotal ?? exactTotalOf(request, amounts) ?? (await countScored(db, request, amounts))
  if (isSparse(request, amounts, total)) return findMatches(db, request, total)

  const length =
    WALK_LENGTHS.find((walk) => walk >= 20 * (request.offset + request.limit)) ?? WALK_LENGTHS[1]
  const created = walkStatement(request, amounts.streams, length)
  const entries = await walk<ListedEntry>(db, request, amounts, length, created)
  if (entries.length < request.limit && !(await reachesEnd(db, request, amounts, length)))
    return findMatches(db, request, total)
  return { entries, total: total ?? (await count(db, request, amounts)) }
}

/** Runs a statement that walks an index for at most `length` entries. */
function walk<Row>(
  db: Reads,
  { groups, excluded = [], minScore }: ListRequest,
  { all }: Amounts,
  length: number,
  created: DynamicStatement,
): Promise<Row[]> {
  // The planner estimates one filter well, but assumes that several filters are independent, and misjudges exclusions.
  const filters = groups.length + (excluded.length === 0 ? 0 : 2) + (minScore === undefined ? 0 : 1)
  const mayBeSorted = filters > 1 && all < MIN_WALKS_TO_TRUST_PLANNER * length
  return mayBeSorted
    ? withSetting(db, DISABLE_SORT, (trx) => run<Row>(trx, created))
    : run<Row>(db, created)
}

const run = <Row>(db: Reads, { text, parameters }: DynamicStatement) =>
  queryText<Row>(db, text, parameters)

async function findAmounts(
  db: Reads,
  { kinds, nsfwValues, groups, excluded = [] }: ListRequest,
): Promise<Amounts> {
  const ofKinds = kinds.map(kindFacet)
  const rows = await queryRows(db, FACETS, [[...ofKinds, ...groups.flat(), ...excluded]])
  const amounts = new Map(rows.map((row) => [row.facet, row]))
  const amountOf = ({ kind, nsfw }: Stream, facets: string[]) =>
    facets
      .filter((facet) => facet.startsWith(kindFacet(kind)))
      .reduce((sum, facet) => sum + (amounts.get(facet)?.[nsfw ? 'nsfw' : 'everybody'] ?? 0), 0)
  const streams = kinds
    .flatMap((kind) => nsfwValues.map((nsfw) => ({ kind, nsfw })))
    .filter((stream) => [ofKinds, ...groups].every((facets) => amountOf(stream, facets) > 0))
  const sum = (facets: string[]) =>
    streams.reduce((total, stream) => total + amountOf(stream, facets), 0)
  return { streams, all: sum(ofKinds), groups: groups.map(sum), excluded: sum(excluded) }
}

/** Returns the number of adult entries of the given kinds. */
export async function sumAdultEntries(db: Reads, kinds: readonly EntryKind[]): Promise<number> {
  const rows = await queryRows(db, FACETS, [kinds.map(kindFacet)])
  return rows.reduce((sum, { nsfw }) => sum + nsfw, 0)
}

/** Returns the number of matches if the facet counts determine it, which requires at most one facet per kind. */
function exactTotalOf(
  { kinds, groups, excluded = [], minScore, names, role }: ListRequest,
  { all, groups: [first], excluded: without }: Amounts,
) {
  if (names || role || minScore !== undefined || groups.length + Math.sign(excluded.length) > 1)
    return undefined
  const [group] = groups
  if (group === undefined)
    return excluded.length === 0 || excluded.length === kinds.length ? all - without : undefined
  return group.length === kinds.length ? first : undefined
}

/** Estimates the fraction of entries that match, assuming that filters are independent. */
const selectivityOf = ({ minScore }: ListRequest, { all, groups, excluded }: Amounts) =>
  groups.reduce(
    (product, amount) => product * Math.min(1, amount / all),
    (minScore === undefined ? 1 : 0.3) * Math.max(0, 1 - excluded / all),
  )

/**
 * Counts the matches of a list that only a minimum score restricts. An index contains them, while a walk in another
 * order would read every entry to find that few or none have this score.
 */
const countScored = (db: Reads, request: ListRequest, amounts: Amounts) =>
  isScoredOnly(request) ? count(db, request, amounts) : undefined

const isScoredOnly = ({ groups, minScore }: ListRequest) =>
  groups.length === 0 && minScore !== undefined

/** Estimates whether reading all matches costs less than walking until a page is full. */
function isSparse(request: ListRequest, amounts: Amounts, total: number | undefined): boolean {
  const { offset, limit, groups } = request
  const isCounted = isScoredOnly(request) && total !== undefined && total < MAX_EXACT_TOTAL
  if (groups.length === 0 && !isCounted) return false
  const expected = isCounted ? total : amounts.all * selectivityOf(request, amounts)
  return expected <= Math.max(200, Math.sqrt(amounts.all * (offset + limit)))
}

/** Returns whether a walk that found too few entries has read all of them. */
async function reachesEnd(
  db: Reads,
  request: ListRequest,
  { streams }: Amounts,
  length: number,
): Promise<boolean> {
  const [first] = request.sort.columns
  const passesAll =
    request.groups.length === 0 &&
    (request.excluded ?? []).length === 0 &&
    !request.role &&
    (request.minScore === undefined || first?.expression === 'weighted_score')
  if (passesAll) return true
  const [walked] = await run<{ ends: boolean }>(db, walkEndStatement(request, streams, length))
  return walked?.ends === true
}

function findMatches(
  db: Reads,
  request: ListRequest,
  total: number | undefined,
): Promise<ListedPage> {
  return withSetting(db, DISABLE_SEQSCAN, async (trx) => {
    type Row = { total: number } & (ListedEntry | { keys: null })
    const rows = await run<Row>(trx, matchStatement(request))
    const entries = rows.flatMap((row) => (row.keys === null ? [] : [row]))
    return { entries, total: total ?? rows[0]?.total ?? 0 }
  })
}

async function count(db: Reads, request: ListRequest, amounts: Amounts): Promise<number> {
  const expected = selectivityOf(request, amounts) * Math.min(amounts.all, MAX_SAMPLED_ENTRIES)
  if (
    !request.names &&
    !request.role &&
    request.minScore === undefined &&
    expected >= 2 * MAX_EXACT_TOTAL
  ) {
    const statement = countFirstStatement(request, MAX_EXACT_TOTAL, MAX_SAMPLED_ENTRIES)
    const [first] = await walk<{ amount: number }>(
      db,
      request,
      amounts,
      MAX_SAMPLED_ENTRIES,
      statement,
    )
    if (first && first.amount >= MAX_EXACT_TOTAL) return first.amount
  }
  return withSetting(db, DISABLE_SEQSCAN, async (trx) => {
    const [counted] = await run<{ amount: number }>(
      trx,
      countStatement(request, MAX_EXACT_TOTAL + 1),
    )
    return counted?.amount ?? 0
  })
}

function withSetting<Result>(
  db: Reads,
  setting: Statement<unknown, readonly []>,
  work: (trx: Reads) => Promise<Result>,
): Promise<Result> {
  return inReadTransaction(db, async (trx) => {
    await queryRows(trx, setting, [])
    return work(trx)
  })
}

const FIND_TAGS = statement('browse.find_tags').returning<{ id: number; name: string }>(
  'select id, name from tags where name = any($1::text[])',
)

/**
 * Returns the groups of facets for filters on the given kinds. Tags are identified by name; an unknown tag has no
 * facet.
 */
export async function findFacetGroups(
  db: Reads,
  kinds: EntryKind[],
  filters: Filter[],
): Promise<string[][]> {
  const names = filters.flatMap(({ name, values }) => (name === 'tag' ? values : []))
  const tags = names.length === 0 ? [] : await queryRows(db, FIND_TAGS, [names])
  return filters.map(({ name, values }) => {
    const known =
      name === 'tag' ? tags.flatMap((tag) => (values.includes(tag.name) ? [tag.id] : [])) : values
    return kinds.flatMap((kind) => known.map((value) => facetOf(kind, name, value)))
  })
}
