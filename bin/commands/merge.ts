import { Command } from 'commander'
import { type EntryKind } from '../../src/catalog/kinds.ts'
import type { Database } from '../../src/db/database.ts'
import {
  mergeEntries,
  unmergeEntries,
  type EntryPair,
  type MergeOutcome,
} from '../../src/importers/merging/merge-entries.ts'
import { MergeError } from '../../src/importers/merging/merge-error.ts'
import { Failure } from '../failure.ts'
import { JSON_OPTION, print, type PrintOptions } from '../print.ts'
import { withDatabase } from '../with-database.ts'
import { kindArgument, toId } from './entry-arguments.ts'

const MERGE_HELP = `
What sources say of the first entry they say of the second from then on, and
what readers have of it moves there: records, reviews with their votes, places
in collections, history. Where a reader has a record of both, the better one is
kept (with a review before with a score before with a status alone, then the
later) and the other is told in the reader's history. The first id answers 404
WIKI_RESOURCE_MERGED. Imports keep it so. Readers who write meanwhile wait.

Example: mokuroku merge galgame 812 44`

const UNMERGE_HELP = `
All that moved moves back, and imports do not join the two again. What a reader
wrote since the merge stays where it was written; what they deleted since stays
deleted.

Example: mokuroku unmerge galgame 812 44`

export const mergeCommand = () =>
  command('merge', 'make one entry of two', MERGE_HELP, mergeEntries, 'is now part of')

export const unmergeCommand = () =>
  command(
    'unmerge',
    'make two entries again of what was merged',
    UNMERGE_HELP,
    unmergeEntries,
    'is apart again from',
  )

function command(
  name: string,
  description: string,
  help: string,
  act: (db: Database, pair: EntryPair) => Promise<MergeOutcome>,
  done: string,
) {
  return new Command(name)
    .description(description)
    .addArgument(kindArgument())
    .argument('<from>', 'the id that goes, or went', toId)
    .argument('<into>', 'the id that stays', toId)
    .option(...JSON_OPTION)
    .addHelpText('after', help)
    .action(async (kind: EntryKind, from: number, into: number, options: PrintOptions) => {
      const outcome = await explained(withDatabase((db) => act(db, { kind, from, into })))
      const what = `The ${kind.replace('_', ' ')} ${from}`
      print(options, outcome, [`${what} ${done} ${into}${outcome.done ? '.' : ' already: nothing to do.'}`])
    })
}

/** What is refused is for whoever typed the command. */
export const explained = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw error instanceof MergeError ? new Failure(error.message) : error
  })
