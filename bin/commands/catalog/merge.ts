import { Command } from 'commander'
import { type EntryKind } from '../../../src/catalog/kinds.ts'
import {
  mergeEntries,
  unmergeEntries,
  type MergeOutcome,
} from '../../../src/curation/merge/merge-entries.ts'
import { MergeError } from '../../../src/curation/merge/merge-error.ts'
import { splitRecord } from '../../../src/curation/merge/split-record.ts'
import { Failure } from '../../failure.ts'
import { JSON_OPTION, print, type PrintOptions } from '../../print.ts'
import { withEntries } from '../../with-entries.ts'
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

What an import joined from the beginning was never two entries. Name the record
that does not belong there, as "entry show" tells it: it gets an entry with a
new id, and what readers have stays.

Examples: mokuroku unmerge galgame 812 44
          mokuroku unmerge light_novel bangumi:13 44`

export const mergeCommand = () =>
  command('merge', 'make one entry of two')
    .argument('<from>', 'the id that goes', toId)
    .argument('<into>', 'the id that stays', toId)
    .addHelpText('after', MERGE_HELP)
    .action(async (kind: EntryKind, from: number, into: number, options: PrintOptions) =>
      tell(
        options,
        await explained(withEntries((db) => mergeEntries(db, { kind, from, into }))),
        'is now part of',
      ),
    )

export const unmergeCommand = () =>
  command('unmerge', 'make two entries again of what was merged')
    .argument('<from>', 'the id that went, or a record: SOURCE:ID', toIdOrRecord)
    .argument('<into>', 'the id that stays', toId)
    .addHelpText('after', UNMERGE_HELP)
    .action(
      async (kind: EntryKind, from: number | SourceId, into: number, options: PrintOptions) => {
        if (typeof from === 'number') {
          const outcome = await explained(
            withEntries((db) => unmergeEntries(db, { kind, from, into })),
          )
          return tell(options, outcome, 'is apart again from')
        }
        const outcome = await explained(
          withEntries((db) => splitRecord(db, { kind, ...from, from: into })),
        )
        const what = `${from.source}:${from.externalId} has an entry of its own, the ${kind.replace('_', ' ')} ${outcome.id}`
        print(options, outcome, [`${what}${outcome.done ? '.' : ', already: nothing to do.'}`])
      },
    )

const command = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .addArgument(kindArgument())
    .option(...JSON_OPTION)

function tell(options: PrintOptions, outcome: MergeOutcome, done: string) {
  const { kind, from, into } = outcome
  const what = `The ${kind.replace('_', ' ')} ${from}`
  print(options, outcome, [
    `${what} ${done} ${into}${outcome.done ? '.' : ' already: nothing to do.'}`,
  ])
}

/** A record by its id at its source. */
type SourceId = { source: string; externalId: string }

function toIdOrRecord(text: string): number | SourceId {
  const [, source, externalId] = /^([a-z]+):(.+)$/.exec(text) ?? []
  return source && externalId ? { source, externalId } : toId(text)
}

/** What is refused is for whoever typed the command. */
export const explained = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    throw error instanceof MergeError ? new Failure(error.message) : error
  })
