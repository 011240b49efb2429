import { Command, Option } from 'commander'
import { ENTRY_KINDS, type EntryKind } from '../../src/catalog/kinds.ts'
import {
  acceptMatch,
  listMatches,
  MATCH_STATES,
  rejectMatch,
  type Match,
  type MatchState,
} from '../../src/importers/identity/review.ts'
import type { Database } from '../../src/db/database.ts'
import { Failure } from '../failure.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../print.ts'
import { printable } from '../../src/kernel/printable.ts'
import { withDatabase } from '../with-database.ts'
import { toId } from './entry-arguments.ts'
import { explained } from './merge.ts'

const HELP = `
Records of two sources that may be the same thing, with what speaks for it.
Imports join what is certain by themselves; these are for somebody to look at.
A decision outlives whatever is imported: an accepted pair is one entry, a
rejected one is never asked about again.

Examples:
  mokuroku matches list --kind person --page 2
  mokuroku matches accept 17 18
  mokuroku matches reject 19`

export const matchesCommand = () =>
  new Command('matches')
    .description('decide which records are the same')
    .helpCommand(false)
    .addHelpText('after', HELP)
    .addCommand(
      new Command('list')
        .description('list the pairs, those found first first')
        .addOption(new Option('--kind <kind>', 'of this kind only').choices(ENTRY_KINDS))
        .addOption(new Option('--state <state>', 'which of them').choices(MATCH_STATES).default('open'))
        .option('--page <number>', 'which page', toId, 1)
        .option('--page-size <number>', 'pairs on a page', toId, 50)
        .option(...JSON_OPTION)
        .action(list),
    )
    .addCommand(decision('accept', 'they are the same: make one entry of each pair', accept))
    .addCommand(decision('reject', 'they are not the same', reject))

const decision = (
  name: string,
  description: string,
  act: (ids: number[], options: PrintOptions) => Promise<void>,
) =>
  new Command(name)
    .description(description)
    .argument('<match...>', 'numbers of pairs, as "mokuroku matches list" shows them', collectIds)
    .option(...JSON_OPTION)
    .action(act)

const collectIds = (text: string, earlier: number[] | undefined) => [...(earlier ?? []), toId(text)]

type ListOptions = PrintOptions & { kind?: EntryKind; state: MatchState; page: number; pageSize: number }

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
      : ['There are none.'],
  )
}

/** One after the other, each for itself; @throws {Failure} at the first that cannot be, which says what was done before it */
const decideEach = <Result>(ids: number[], decide: (db: Database, id: number) => Promise<Result>) =>
  withDatabase(async (db) => {
    const results: Result[] = []
    for (const id of new Set(ids))
      results.push(
        await explained(decide(db, id)).catch((error: unknown) => {
          const done = [...new Set(ids)].slice(0, results.length)
          if (!(error instanceof Failure) || done.length === 0) throw error
          throw new Failure(`${error.message} Done before it: ${done.join(', ')}.`)
        }),
      )
    return results
  })

async function accept(ids: number[], options: PrintOptions) {
  const results = await decideEach(ids, (db, id) => acceptMatch(db, id))
  print(
    options,
    results,
    results.map(({ match, merged }) =>
      merged
        ? `Match ${match.id}: ${match.kind} ${merged.from} is now part of ${merged.into}.`
        : `Match ${match.id}: accepted.`,
    ),
  )
}

async function reject(ids: number[], options: PrintOptions) {
  const results = await decideEach(ids, (db, id) => rejectMatch(db, id))
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
