import { type EntryKind } from '../../../src/catalog/kinds.ts'
import {
  mergeEntries,
  unmergeEntries,
  type MergeOutcome,
} from '../../../src/curation/merge/merge-entries.ts'
import { splitRecord } from '../../../src/curation/merge/split-record.ts'
import { print, type PrintOptions } from '../../print.ts'
import { withEntries } from '../../with-entries.ts'
import { kindCommand, toId } from './entry-arguments.ts'

const MERGE_HELP = `
Merges the first entry into the second. Source records and user data move there:
ratings, reviews with their votes, collection items and history. If a user has
rated both, the more complete rating is kept (a review counts more than a score,
a score more than a status alone, then the newer rating wins). The other is
recorded in the user's history. The first ID then returns 404
WIKI_RESOURCE_MERGED. Imports do not undo a merge. Users' writes wait until it
is done.

Example: mokuroku merge galgame 812 44`

const UNMERGE_HELP = `
Moves everything back, and imports do not join the two entries again. Data that
users wrote since the merge stays on the merged entry; data they deleted since
stays deleted.

If an import joined two records from the start, there were never two entries.
Name the record that does not belong, as shown by "entry show". It gets a new
entry with a new ID; user data stays.

Examples: mokuroku unmerge galgame 812 44
          mokuroku unmerge light_novel bangumi:13 44`

export const mergeCommand = () =>
  kindCommand('merge')
    .argument('<from>', 'ID of the entry to merge', toId)
    .argument('<into>', 'ID of the entry that stays', toId)
    .addHelpText('after', MERGE_HELP)
    .action(async (kind: EntryKind, from: number, into: number, options: PrintOptions) =>
      printOutcome(
        options,
        await withEntries((db) => mergeEntries(db, { kind, from, into })),
        'part of',
      ),
    )

export const unmergeCommand = () =>
  kindCommand('unmerge')
    .argument('<from>', 'ID of the merged entry, or a record as SOURCE:ID', toIdOrRecord)
    .argument('<into>', 'ID of the entry that stays', toId)
    .addHelpText('after', UNMERGE_HELP)
    .action(
      async (kind: EntryKind, from: number | SourceId, into: number, options: PrintOptions) => {
        if (typeof from === 'number') {
          const outcome = await withEntries((db) => unmergeEntries(db, { kind, from, into }))
          return printOutcome(options, outcome, 'separate from')
        }
        const outcome = await withEntries((db) => splitRecord(db, { kind, ...from, from: into }))
        const description = `${from.source}:${from.externalId} ${outcome.done ? 'now' : 'already'} has its own entry, ${kind.replace('_', ' ')} ${outcome.id}.`
        print(options, outcome, [description])
      },
    )

function printOutcome(options: PrintOptions, outcome: MergeOutcome, done: string) {
  const { kind, from, into } = outcome
  const description = `The ${kind.replace('_', ' ')} ${from}`
  print(options, outcome, [
    `${description} is ${outcome.done ? 'now' : 'already'} ${done} ${into}.`,
  ])
}

/** A record, identified by its source and its ID there. */
type SourceId = { source: string; externalId: string }

function toIdOrRecord(text: string): number | SourceId {
  const [, source, externalId] = /^([a-z]+):(.+)$/.exec(text) ?? []
  return source && externalId ? { source, externalId } : toId(text)
}
