import { Command, InvalidArgumentError, Option } from 'commander'
import { ENTRY_KINDS, isWorkKind, type EntryKind } from '../../../src/catalog/kinds.ts'
import {
  listMatches,
  listOpenMatches,
  MATCH_STATES,
  type Match,
  type MatchState,
} from '../../../src/curation/join/list-matches.ts'
import { acceptMatches, rejectMatch } from '../../../src/curation/join/review.ts'
import type { Database } from '../../../src/db/database.ts'
import { EntryRefusedError } from '../../../src/curation/merge/entry-refusal.ts'
import { Failure } from '../../failure.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { printable } from '../../../src/kernel/printable.ts'
import { withDatabase } from '../../with-database.ts'
import { withEntries } from '../../with-entries.ts'
import { toId } from './entry-arguments.ts'

const HELP = `
Lists pairs of records from two sources that may be the same, with the evidence.
Imports join certain pairs automatically; the others are yours to decide. A
range selects the open pairs in it. After you accept a pair of works, the next
import of either source joins their people and characters. Decisions persist
across imports: an accepted pair stays one entry, and a rejected pair is not
listed again.

Examples:
  mokuroku matches list --kind person --page 2
  mokuroku matches accept 17 18
  mokuroku matches accept 20-1500
  mokuroku matches reject 19`

export const matchesCommand = () =>
  new Command('matches')
    .helpCommand(false)
    .addHelpText('after', HELP)
    .addCommand(
      new Command('list')
        .description('list pairs, oldest first')
        .addOption(new Option('--kind <kind>', 'only pairs of this kind').choices(ENTRY_KINDS))
        .addOption(
          new Option('--state <state>', 'only pairs in this state')
            .choices(MATCH_STATES)
            .default('open'),
        )
        .option('--page <number>', 'page to show', toId, 1)
        .option('--page-size <number>', 'pairs per page', toId, 50)
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(decision('accept', 'merge each pair into one entry', accept))
    .addCommand(decision('reject', 'mark pairs as different', reject))

const decision = (
  name: string,
  description: string,
  decide: (ranges: Range[], options: PrintOptions) => Promise<void>,
) =>
  new Command(name)
    .description(description)
    .argument(
      '<match...>',
      'numbers or ranges (17-20) of pairs, as shown by "mokuroku matches list"',
      collectRanges,
    )
    .option(...JSON_OPTION)
    .action(decide)

/** Numbers from `first` to `last`. `isOne` is true for a single number, which must name an existing pair. */
type Range = { first: number; last: number; isOne: boolean }

function collectRanges(text: string, earlier: Range[] | undefined): Range[] {
  const [first = '', last] = text.split(/-(.*)/s, 2)
  const range = { first: toId(first), last: toId(last ?? first), isOne: last === undefined }
  if (range.first > range.last)
    throw new InvalidArgumentError('A range must start with the lower number, such as 17-20.')
  return [...(earlier ?? []), range]
}

/** Returns the distinct pair numbers. A range selects only the open pairs in it. */
async function idsIn(db: Database, ranges: Range[]): Promise<number[]> {
  const ids: number[] = []
  for (const { first, last, isOne } of ranges)
    ids.push(...(isOne ? [first] : await listOpenMatches(db, first, last)))
  return [...new Set(ids)]
}

type ListOptions = PrintOptions & {
  kind?: EntryKind
  state: MatchState
  page: number
  pageSize: number
}

async function list({ kind, state, page, pageSize, ...options }: ListOptions) {
  const found = await withDatabase((db) => listMatches(db, { kind, state, page, pageSize }))
  const rows = found.items.map((match) => [
    String(match.id),
    match.kind,
    match.rule,
    sideOf(match.one),
    sideOf(match.other),
    evidenceOf(match),
  ])
  print(
    options,
    { ...found, page, page_size: pageSize },
    rows.length > 0
      ? [
          ...table([['match', 'kind', 'rule', 'one', 'other', 'evidence'], ...rows]),
          `${found.total} ${state}, page ${page} of ${Math.ceil(found.total / pageSize)}`,
        ]
      : ['There are no such pairs.'],
  )
}

/** Number of pairs accepted in one transaction. Writes by users wait until it ends. */
const BATCH_SIZE = 100

/**
 * Decides pairs in order, several per transaction.
 *
 * @throws {Failure} at the first pair that cannot be decided; the message lists the pairs that have already been
 * decided
 */
const decideEach = <Result>(
  ranges: Range[],
  decide: (db: Database, ids: number[]) => Promise<Result[]>,
) =>
  withEntries(async (db) => {
    const ids = await idsIn(db, ranges)
    const results: Result[] = []
    for (let at = 0; at < ids.length; at += BATCH_SIZE) {
      const batch = ids.slice(at, at + BATCH_SIZE)
      const decided = await decide(db, batch).catch(async (error: unknown) => {
        if (!(error instanceof EntryRefusedError) || batch.length === 1)
          return failed(error, ids.slice(0, at))
        // One pair in the batch is invalid, so the pairs are decided one by one, up to that pair.
        const single: Result[] = []
        for (const id of batch)
          single.push(
            ...(await decide(db, [id]).catch((cause: unknown) =>
              failed(cause, ids.slice(0, at + single.length)),
            )),
          )
        return single
      })
      results.push(...decided)
    }
    return results
  })

function failed(error: unknown, done: number[]): never {
  if (!(error instanceof EntryRefusedError)) throw error
  throw new Failure(
    done.length > 0 ? `${error.message} Already decided: ${done.join(', ')}.` : error.message,
  )
}

async function accept(ranges: Range[], options: PrintOptions) {
  const results = await decideEach(ranges, acceptMatches)
  const lines = results.map(({ match, merged }) => {
    const outcome = merged
      ? `${match.kind.replace('_', ' ')} ${merged.from} is now part of ${merged.into}.`
      : 'accepted.'
    return `Match ${match.id}: ${outcome}${match.state === 'rejected' ? ' It was rejected before.' : ''}`
  })
  const isOfWorks = results.some(({ match, merged }) => merged && isWorkKind(match.kind))
  print(options, results, [
    ...(lines.length > 0 ? lines : ['There are no open pairs with these numbers.']),
    ...(isOfWorks ? ['The next import of either source joins their people and characters.'] : []),
  ])
}

async function reject(ranges: Range[], options: PrintOptions) {
  const results = await decideEach(ranges, async (db, ids) => {
    const rejected: Match[] = []
    for (const id of ids) rejected.push(await rejectMatch(db, id))
    return rejected
  })
  print(
    options,
    results,
    results.map(({ id }) => `Match ${id}: rejected.`),
  )
}

const sideOf = ({ source, external_id, name, entry_id }: Match['one']) =>
  `${printable(name ?? '?')} (${source} ${printable(external_id)}, ${entry_id ?? 'not loaded'})`

const evidenceOf = ({ evidence }: Match) =>
  Object.entries(evidence)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${printable(String(value))}`)
    .join(', ')
