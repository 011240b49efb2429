import { queryRows, queryText } from '../../db/query.ts'
import { statement, type Statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
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
  type MadeStatement,
  type Stream,
} from './page-statements.ts'
import { MAX_EXACT_TOTAL } from '../../http/wire/requests/paging.ts'

/** An entry of a page: its summary as JSON, null when it has just gone, and its key in the order. */
type ListedEntry = { item: string | null; keys: unknown[] }
type ListedPage = { entries: ListedEntry[]; total: number }

/** How far a walk goes, by what it is to find. A constant: with a parameter, it would be planned for the whole index. */
const WALKS = [6_000, 24_000] as const

/**
 * Entries, in multiples of a walk, from which on the planner walks by itself. Of fewer it takes to sorting all there are,
 * where it thinks that so few pass that the walk goes to its end.
 */
const WALKED_BY_ITSELF = 20

/** Where many pass, there are enough among the first so many of a kind. */
const FIRST = 20_000

const FACETS = statement('browse.facets').returning<{
  facet: string
  everybody: number
  nsfw: number
}>('select facet, everybody, nsfw from listing_facets where facet = any($1::text[])')
/** For the statements that read what passes: the planner does not know how few that is, and would read everything. */
const BY_INDEX = statement('browse.by_index').sql(
  `select set_config('enable_seqscan', 'off', true)`,
)
/** For those that walk: what is in the order of an index already need not be sorted. */
const IN_ORDER = statement('browse.in_order').sql(
  `select set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true)`,
)

/**
 * The streams that have entries with a facet of each group, and how many entries they have, in all and with the facets of
 * each group; what has several is counted more than once.
 */
type Amounts = { streams: Stream[]; all: number; groups: number[] }

/**
 * A page of a list, with the number of all that pass its filters.
 *
 * @param knownTotal what the first page said, where this is a later one
 */
export async function findListPage(
  db: Database,
  request: ListRequest,
  knownTotal: number | undefined,
): Promise<ListedPage> {
  const amounts = await findAmounts(db, request)
  if (amounts.streams.length === 0) return { entries: [], total: 0 }
  const total = knownTotal ?? totalBy(request, amounts)
  if (isSparse(request, amounts)) return findMatches(db, request, total)

  const length = WALKS.find((walk) => walk >= 20 * (request.offset + request.limit)) ?? WALKS[1]
  const made = walkStatement(request, amounts.streams, length)
  const entries = await walk<ListedEntry>(db, request, amounts, length, made)
  if (entries.length < request.limit && !(await reachesEnd(db, request, amounts, length)))
    return findMatches(db, request, total)
  return { entries, total: total ?? (await count(db, request, amounts)) }
}

/** Runs a statement that reads the first `length` entries in the order of an index until it has enough. */
function walk<Row>(
  db: Database,
  { groups, minScore }: ListRequest,
  { all }: Amounts,
  length: number,
  made: MadeStatement,
): Promise<Row[]> {
  // Of one filter the planner knows how many pass; of several it takes the product.
  const filters = groups.length + (minScore === undefined ? 0 : 1)
  const mayBeSorted = filters > 1 && all < WALKED_BY_ITSELF * length
  return mayBeSorted ? withSetting(db, IN_ORDER, (trx) => run<Row>(trx, made)) : run<Row>(db, made)
}

const run = <Row>(db: Database, { text, parameters }: MadeStatement) =>
  queryText<Row>(db, text, parameters)

async function findAmounts(db: Database, { kinds, shown, groups }: ListRequest): Promise<Amounts> {
  const ofKinds = kinds.map(kindFacet)
  const rows = await queryRows(db, FACETS, [[...ofKinds, ...groups.flat()]])
  const amounts = new Map(rows.map((row) => [row.facet, row]))
  const amountOf = ({ kind, nsfw }: Stream, facets: string[]) =>
    facets
      .filter((facet) => facet.startsWith(kindFacet(kind)))
      .reduce((sum, facet) => sum + (amounts.get(facet)?.[nsfw ? 'nsfw' : 'everybody'] ?? 0), 0)
  const streams = kinds
    .flatMap((kind) => shown.map((nsfw) => ({ kind, nsfw })))
    .filter((stream) => [ofKinds, ...groups].every((facets) => amountOf(stream, facets) > 0))
  const sum = (facets: string[]) =>
    streams.reduce((total, stream) => total + amountOf(stream, facets), 0)
  return { streams, all: sum(ofKinds), groups: groups.map(sum) }
}

/** The number of all that pass, where the amounts tell it: with one facet of each kind at most. */
function totalBy({ kinds, groups, minScore }: ListRequest, { all, groups: [first] }: Amounts) {
  if (minScore !== undefined || groups.length > 1) return undefined
  const [group] = groups
  if (group === undefined) return all
  return group.length === kinds.length ? first : undefined
}

/** Which part of the entries passes, as far as filters know nothing of each other. */
const shareOf = ({ minScore }: ListRequest, { all, groups }: Amounts) =>
  groups.reduce(
    (product, amount) => product * Math.min(1, amount / all),
    minScore === undefined ? 1 : 0.3,
  )

/** Whether reading all that pass is less than walking until there is a page of them. */
function isSparse(request: ListRequest, amounts: Amounts): boolean {
  const { offset, limit, groups } = request
  if (groups.length === 0) return false
  const expected = amounts.all * shareOf(request, amounts)
  return expected <= Math.max(200, Math.sqrt(amounts.all * (offset + limit)))
}

/** Whether a walk that found too few has seen all there is. */
async function reachesEnd(
  db: Database,
  request: ListRequest,
  { streams }: Amounts,
  length: number,
): Promise<boolean> {
  const [first] = request.sort.columns
  const passesAll =
    request.groups.length === 0 && (request.minScore === undefined || first?.expression === 'score')
  if (passesAll) return true
  const [walked] = await run<{ ends: boolean }>(db, walkEndStatement(request, streams, length))
  return walked?.ends === true
}

function findMatches(
  db: Database,
  request: ListRequest,
  total: number | undefined,
): Promise<ListedPage> {
  return withSetting(db, BY_INDEX, async (trx) => {
    type Row = { total: number } & (ListedEntry | { keys: null })
    const rows = await run<Row>(trx, matchStatement(request))
    const entries = rows.flatMap((row) => (row.keys === null ? [] : [row]))
    return { entries, total: total ?? rows[0]?.total ?? 0 }
  })
}

async function count(db: Database, request: ListRequest, amounts: Amounts): Promise<number> {
  const expected = shareOf(request, amounts) * Math.min(amounts.all, FIRST)
  if (request.minScore === undefined && expected >= 2 * MAX_EXACT_TOTAL) {
    const statement = countFirstStatement(request, MAX_EXACT_TOTAL, FIRST)
    const [first] = await walk<{ amount: number }>(db, request, amounts, FIRST, statement)
    if (first && first.amount >= MAX_EXACT_TOTAL) return first.amount
  }
  return withSetting(db, BY_INDEX, async (trx) => {
    const [counted] = await run<{ amount: number }>(
      trx,
      countStatement(request, MAX_EXACT_TOTAL + 1),
    )
    return counted?.amount ?? 0
  })
}

function withSetting<Result>(
  db: Database,
  setting: Statement<unknown, readonly []>,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    await queryRows(trx, setting, [])
    return work(trx)
  })
}

const FIND_TAGS = statement('browse.find_tags').returning<{ id: number; name: string }>(
  'select id, name from tags where name = any($1::text[])',
)

/** The facets of filters, for entries of any of the kinds. Tags are known by names, and one that is none has no facet. */
export async function findFacetGroups(
  db: Database,
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
