import { Command } from 'commander'
import type { EntryKind } from '../../../src/catalog/kinds.ts'
import {
  parseField,
  setField,
  unsetField,
  type EditOutcome,
} from '../../../src/curation/edit/edit-field.ts'
import { EntryRefusedError } from '../../../src/curation/merge/entry-refusal.ts'
import { showEntry, type ShownEntry } from '../../../src/curation/edit/show-entry.ts'
import { print, table, type PrintOptions } from '../../print.ts'
import { printable } from '../../../src/kernel/printable.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabase } from '../../with-database.ts'
import { failOnRefusal, withEntries } from '../../with-entries.ts'
import { kindCommand, toId } from './entry-arguments.ts'

const SET_HELP = `
The value overrides the sources until "mokuroku unset" removes it. Write texts
and dates as they are, and any other value as JSON.

Examples:
  mokuroku set galgame 44 trans_title 团子大家族
  mokuroku set character 12 height 158
  mokuroku set person 7 aliases '["Jun Maeda"]'`

const FIELD = ['<field>', 'name of the field, as shown by "mokuroku entry show"'] as const

export const entryCommand = () =>
  new Command('entry').helpCommand(false).addCommand(
    kindCommand('show')
      .description('show the source of each field of an entry, and the values from other sources')
      .argument('<id>', 'ID of the entry', toId)
      .action(async (kind: EntryKind, id: number, options: PrintOptions) => {
        const shown = await failOnRefusal(withDatabase((db) => showEntry(db, kind, id)))
        print(options, shown, linesOf(shown))
      }),
    // People tend to type `entry galgame 1` at first.
    { isDefault: true },
  )

export const setCommand = () =>
  kindCommand('set')
    .argument('<id>', 'ID of the entry', toId)
    .argument(...FIELD)
    .argument('<value>', 'new value')
    .addHelpText('after', SET_HELP)
    .action(
      async (kind: EntryKind, id: number, field: string, typed: string, options: PrintOptions) => {
        const value = parsed({ kind, field }, typed)
        const outcome = await withEntries((db) => setField(db, { kind, id, field }, value))
        print(options, toJson(outcome), [lineOf(outcome, 'overrides the sources')])
      },
    )

export const unsetCommand = () =>
  kindCommand('unset')
    .argument('<id>', 'ID of the entry', toId)
    .argument(...FIELD)
    .action(async (kind: EntryKind, id: number, field: string, options: PrintOptions) => {
      const outcome = await withEntries((db) => unsetField(db, { kind, id, field }))
      print(options, toJson(outcome), [lineOf(outcome, 'comes from the sources')])
    })

function parsed(target: { kind: EntryKind; field: string }, typed: string): unknown {
  try {
    return parseField(target, typed)
  } catch (error) {
    throw error instanceof EntryRefusedError ? new UsageError(error.message) : error
  }
}

const toJson = ({ kind, id, field, done }: EditOutcome) => ({ kind, id, field, done })

const lineOf = ({ kind, id, field, done }: EditOutcome, state: string) =>
  `${field} of ${kind} ${id} ${done ? 'now' : 'already'} ${state}.`

function linesOf({ kind, id, records, merged, fields }: ShownEntry): string[] {
  const stated = fields.filter((field) => field.statements.length > 0 || field.from.length > 0)
  return [
    `${kind} ${id}: ${records.map(({ source, external_id }) => `${source} ${printable(external_id)}`).join(', ')}`,
    ...merged.map((merge) => `  ${merge.id} was merged into it (${merge.rule})`),
    ...table([
      ['field', 'from', 'value', 'other values'],
      ...stated.map(({ field, value, from, locked, statements: all }) => [
        field,
        locked ? 'set by hand' : from.map(printable).join(', '),
        shortOf(value),
        all
          .filter(({ value: other }) => JSON.stringify(other) !== JSON.stringify(value))
          .map(({ source, value: other }) => `${source}: ${shortOf(other)}`)
          .join('; '),
      ]),
    ]),
  ]
}

/** Truncates a value to one terminal line. `--json` prints it in full. */
function shortOf(value: unknown): string {
  const text = printable(
    typeof value === 'string' ? value.replaceAll('\n', ' ') : JSON.stringify(value),
  )
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
