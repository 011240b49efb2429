import { sql } from 'kysely'
import { isWorkKind, type EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { lockWorks } from '../merge/lock-user-data.ts'
import { stageMerges, moveRecords, recordMerges, type PlannedMerge } from '../merge/move-records.ts'
import type { ImportReport, Source } from '../../sources/records/record.ts'
import { findStatedPairs, findSharedIsbns } from './find-stated-pairs.ts'
import { findAliasesInWorks } from './find-aliases.ts'
import { findNamesakes, findNamesInWorks, findNovelsByTitle } from './find-names.ts'
import { reportContradictions, pairRecords } from './contradictions.ts'
import { hasNewMerges, stageSharedCredits } from './shared-works.ts'
import {
  createPairs,
  saveForReview,
  listCertainPairs,
  orderCertainPairs,
  type CertainPair,
} from './pairs.ts'
import { foldRecordNames, deleteStaleNames } from './record-names.ts'

const BATCH_SIZE = 5_000

export type JoinCounts = { kind: string; joined: number; for_review: number }

const TOTAL_STEPS = 6

/**
 * Joins records from different sources that are certainly the same (decision 0022) into one entry. Call it after
 * storing the records of the source. Uncertain pairs go to the review list. Works are joined first, then their people
 * and characters.
 *
 * @param onStep called with the number of completed steps and their total
 * @returns the numbers of absorbed entries and of new pairs on the review list, by kind; the affected entries are in
 * `changed_entries`
 */
export async function joinRecords(
  trx: Database,
  source: Source,
  report: ImportReport,
  onStep: (done: number, total: number) => void = () => {},
): Promise<JoinCounts[]> {
  const { rows } = await sql<{ others: boolean; changed: boolean; named: boolean }>`
    select
      exists (select from source_records where source <> ${source}) as others,
      exists (select from changed_entries) as changed,
      exists (select from record_names) as named`.execute(trx)
  const [{ others, changed, named } = { others: false, changed: false, named: false }] = rows
  if (changed) await deleteStaleNames(trx, source)
  if (!others) return []
  onStep(0, TOTAL_STEPS)
  // Migrations empty the table of names. Without names, no record contradicts a link.
  if (changed || !named) {
    await foldRecordNames(trx)
    // Otherwise the planner uses statistics from before this import.
    await sql`analyze changed_entries, source_records, source_same_as, record_names, matches`.execute(
      trx,
    )
  }
  onStep(1, TOTAL_STEPS)
  await createPairs(trx)
  await findStatedPairs(trx, source)
  await findSharedIsbns(trx, source)
  if (changed) await findNovelsByTitle(trx, source)
  onStep(2, TOTAL_STEPS)
  const joined = new Map<string, number>()
  await joinPairs(trx, report, joined)
  onStep(3, TOTAL_STEPS)
  if (changed || joined.size > 0 || (await hasNewMerges(trx, source))) {
    await stageSharedCredits(trx, source)
    await findNamesInWorks(trx, source)
    await findAliasesInWorks(trx, source)
    await findNamesakes(trx, source)
  }
  onStep(4, TOTAL_STEPS)
  await joinPairs(trx, report, joined)
  onStep(5, TOTAL_STEPS)
  const listed = await saveForReview(trx)
  for (const added of listed.values())
    for (let pair = 0; pair < added; pair += 1) report.note({ code: 'match.review' })
  await reportContradictions(trx, source, report)
  return [...new Set([...joined.keys(), ...listed.keys()])]
    .toSorted()
    .map((kind) => ({ kind, joined: joined.get(kind) ?? 0, for_review: listed.get(kind) ?? 0 }))
}

/** Joins the certain `pairs`, best first, and adds the number of absorbed entries by kind to `joined`. */
async function joinPairs(
  trx: Database,
  report: ImportReport,
  joined: Map<string, number>,
): Promise<void> {
  const count = await orderCertainPairs(trx)
  for (let after = 0; after < count; after += BATCH_SIZE) {
    const pairs = await listCertainPairs(trx, after, BATCH_SIZE)
    const joinings = pairs.length > 0 ? await planMerges(trx, pairs, report) : []
    if (joinings.length === 0) continue
    await stageMerges(trx, joinings)
    await recordMerges(trx)
    await moveRecords(trx)
    for (const { kind } of joinings) joined.set(kind, (joined.get(kind) ?? 0) + 1)
  }
}

type EntryFacts = {
  sources: Set<string>
  /** True if the entry existed before this transaction. */
  isKnown: boolean
  /** True if users have rated or collected the work. */
  hasUserData: boolean
}

/** Decides which entries are merged into which. Chains within the pairs are followed. */
async function planMerges(
  trx: Database,
  pairs: CertainPair[],
  report: ImportReport,
): Promise<PlannedMerge[]> {
  await lockPairs(trx, pairs)
  const facts = await loadFacts(trx, pairs)
  const rejected = await loadRejected(trx, pairs)
  /** Merges, keyed by the absorbed entry. */
  const parents = new Map<string, { into: string; rule: string }>()
  const rootOf = (key: string): string => {
    const parent = parents.get(key)
    return parent ? rootOf(parent.into) : key
  }
  const members = new Map<string, string[]>()
  const membersOf = (key: string) => members.get(key) ?? [key]

  for (const pair of pairs) {
    const [first, second] = [
      rootOf(keyOf(pair.kind, pair.one)),
      rootOf(keyOf(pair.kind, pair.other)),
    ]
    if (first === second) continue
    const [ofOne, ofOther] = [facts.get(first), facts.get(second)]
    if (!ofOne || !ofOther) continue
    const isRejected = membersOf(first).some((a) =>
      membersOf(second).some((b) => rejected.has(`${a} ${b}`) || rejected.has(`${b} ${a}`)),
    )
    if (isRejected) continue
    const example = `${pair.source} ${pair.external_id}, ${pair.other_source} ${pair.other_external_id}`
    if (ofOne.sources.intersection(ofOther.sources).size > 0) {
      if (pair.rule === 'link' || pair.rule === 'shared-id')
        report.note({ code: 'match.same_source' }, example)
      continue
    }
    if (ofOne.hasUserData && ofOther.hasUserData) {
      report.note({ code: 'match.both_read' }, example)
      continue
    }
    const [from, into] = isAbsorbed(first, ofOne, second, ofOther)
      ? [first, second]
      : [second, first]
    if (ofOne.isKnown && ofOther.isKnown) report.note({ code: 'match.merged' }, example)
    parents.set(from, { into, rule: pair.rule })
    members.set(into, [...membersOf(into), ...membersOf(from)])
    facts.set(into, {
      sources: ofOne.sources.union(ofOther.sources),
      isKnown: ofOne.isKnown || ofOther.isKnown,
      hasUserData: ofOne.hasUserData || ofOther.hasUserData,
    })
  }
  return [...parents].map(([key, { rule }]) => {
    const into = rootOf(key)
    return { kind: kindOf(key), from: idOf(key), into: idOf(into), rule }
  })
}

/** Returns whether `one` is merged into `other`: the entry with user data stays, or else the older one. */
function isAbsorbed(one: string, ofOne: EntryFacts, other: string, ofOther: EntryFacts): boolean {
  if (ofOne.hasUserData !== ofOther.hasUserData) return ofOther.hasUserData
  if (ofOne.isKnown !== ofOther.isKnown) return ofOther.isKnown
  return idOf(one) > idOf(other)
}

const keyOf = (kind: string, id: number) => `${kind}:${id}`
const kindOf = (key: string) => key.slice(0, key.indexOf(':'))
const idOf = (key: string) => Number(key.slice(key.indexOf(':') + 1))

/**
 * Locks the works of the pairs. Users who rate one of them wait, so `pairs` and their user data cannot change. Pairs
 * with a new work need no lock, because no user can have rated that work yet.
 */
async function lockPairs(trx: Database, pairs: CertainPair[]): Promise<void> {
  // as: kinds of works are kinds of entries
  const works = pairs.filter(({ kind }) => isWorkKind(kind as EntryKind))
  const { rows } = await sql<{ id: number }>`
    select distinct unnest(array[one.id, other.id]) as id
    from unnest(
      ${works.map(({ one }) => one)}::bigint[],
      ${works.map(({ other }) => other)}::bigint[]
    ) pair (one, other)
    join works one on one.id = pair.one
    join works other on other.id = pair.other`.execute(trx)
  await lockWorks(
    trx,
    rows.map(({ id }) => id),
  )
}

async function loadFacts(trx: Database, pairs: CertainPair[]): Promise<Map<string, EntryFacts>> {
  const entries = new Map(
    pairs.flatMap(({ kind, one, other }) =>
      [one, other].map((id) => [keyOf(kind, id), { kind, id }]),
    ),
  )
  const kinds = [...entries.values()].map(({ kind }) => kind)
  const ids = [...entries.values()].map(({ id }) => id)
  const { rows } = await sql<{
    kind: string
    id: number
    sources: string[]
    known: boolean
    work: boolean
  }>`
    select
      entry.kind, entry.id,
      array(
        select distinct record.source from source_records record
        where record.kind = entry.kind and record.entry_id = entry.id and not is_local_edit(record)
      ) as sources,
      exists (
        select from catalog_entries known
        where known.resource_type = entry.kind and known.resource_id = entry.id
      ) as known,
      exists (select from works where works.id = entry.id and works.kind = entry.kind) as work
    from unnest(${kinds}::text[], ${ids}::bigint[]) as entry (kind, id)`.execute(trx)
  const works = rows.filter(({ work }) => work).map(({ id }) => id)
  const { rows: read } = await sql<{ id: number }>`
    select rating.work_id as id from ratings rating where rating.work_id = any(${works}::bigint[])
    union
    select item.work_id from collection_items item where item.work_id = any(${works}::bigint[])
    union
    select progress.work_id from progress where progress.work_id = any(${works}::bigint[])
    union
    select favorite.work_id from favorites favorite where favorite.work_id = any(${works}::bigint[])`.execute(
    trx,
  )
  const withUserData = new Set(read.map(({ id }) => id))
  return new Map(
    rows.map(({ kind, id, sources, known, work }) => [
      keyOf(kind, id),
      { sources: new Set(sources), isKnown: known, hasUserData: work && withUserData.has(id) },
    ]),
  )
}

/** Returns the pairs of entries that have records which an operator rejected as a match. */
async function loadRejected(trx: Database, pairs: CertainPair[]): Promise<Set<string>> {
  const { rows } = await sql<{ kind: string; one: number; other: number }>`
    select matches.kind, one.entry_id as one, other.entry_id as other
    from matches
    ${pairRecords('matches')}
    where matches.state = 'rejected' and matches.kind = any(${[...new Set(pairs.map(({ kind }) => kind))]}::text[])`.execute(
    trx,
  )
  return new Set(rows.map(({ kind, one, other }) => `${keyOf(kind, one)} ${keyOf(kind, other)}`))
}
