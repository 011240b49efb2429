import { Command } from 'commander'
import type { EntryKind } from '../../../src/catalog/kinds.ts'
import {
  EditError,
  parseField,
  setField,
  unsetField,
  type EditOutcome,
} from '../../../src/curation/edit/edit-field.ts'
import { showEntry, type ShownEntry } from '../../../src/curation/edit/show-entry.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../../print.ts'
import { printable } from '../../../src/kernel/printable.ts'
import { UsageError } from '../../usage-error.ts'
import { withDatabase } from '../../with-database.ts'
import { withEntries } from '../../with-entries.ts'
import { kindArgument, toId } from './entry-arguments.ts'
import { explained } from './merge.ts'

const SET_HELP = `
The field is as you say from then on, whatever sources say, until it is unset.
Texts and days are typed as they are, everything else as JSON.

Examples:
  mokuroku set galgame 44 trans_title 团子大家族
  mokuroku set character 12 height 158
  mokuroku set person 7 aliases '["Jun Maeda"]'`

const FIELD = ['<field>', 'a field, as "mokuroku entry show" names it'] as const

export const entryCommand = () =>
  new Command('entry')
    .description('look into an entry')
    .helpCommand(false)
    .addCommand(
      new Command('show')
        .description('show where each field of an entry comes from, and what else its sources say')
        .addArgument(kindArgument())
        .argument('<id>', 'its id', toId)
        .option(...JSON_OPTION)
        .action(async (kind: EntryKind, id: number, options: PrintOptions) => {
          const shown = await explained(withDatabase((db) => showEntry(db, kind, id)))
          print(options, shown, linesOf(shown))
        }),
      // `entry galgame 1` is what people type first.
      { isDefault: true },
    )

export const setCommand = () =>
  new Command('set')
    .description('set a field of an entry by hand')
    .addArgument(kindArgument())
    .argument('<id>', 'its id', toId)
    .argument(...FIELD)
    .argument('<value>', 'what it is')
    .option(...JSON_OPTION)
    .addHelpText('after', SET_HELP)
    .action(
      async (kind: EntryKind, id: number, field: string, typed: string, options: PrintOptions) => {
        const value = parsed({ kind, field }, typed)
        const outcome = await explained(
          withEntries((db) => setField(db, { kind, id, field }, value)),
        )
        print(options, told(outcome), [lineOf(outcome, 'is set by hand')])
      },
    )

export const unsetCommand = () =>
  new Command('unset')
    .description('leave a field to the sources again')
    .addArgument(kindArgument())
    .argument('<id>', 'its id', toId)
    .argument(...FIELD)
    .option(...JSON_OPTION)
    .action(async (kind: EntryKind, id: number, field: string, options: PrintOptions) => {
      const outcome = await explained(withEntries((db) => unsetField(db, { kind, id, field })))
      print(options, told(outcome), [lineOf(outcome, 'is what the sources say')])
    })

function parsed(target: { kind: EntryKind; field: string }, typed: string): unknown {
  try {
    return parseField(target, typed)
  } catch (error) {
    throw error instanceof EditError ? new UsageError(error.message) : error
  }
}

const told = ({ kind, id, field, done }: EditOutcome) => ({ kind, id, field, done })

const lineOf = ({ kind, id, field, done }: EditOutcome, state: string) =>
  `${field} of ${kind} ${id} ${state}${done ? '.' : ' already.'}`

function linesOf({ kind, id, records, merged, fields }: ShownEntry): string[] {
  const said = fields.filter((field) => field.said.length > 0 || field.from.length > 0)
  return [
    `${kind} ${id}: ${records.map(({ source, external_id }) => `${source} ${printable(external_id)}`).join(', ')}`,
    ...merged.map((merge) => `  ${merge.id} was merged into it (${merge.rule})`),
    ...table([
      ['field', 'from', 'value', 'others say'],
      ...said.map(({ field, value, from, locked, said: all }) => [
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

/** On one line of a terminal; `--json` has the whole. */
function shortOf(value: unknown): string {
  const text = printable(
    typeof value === 'string' ? value.replaceAll('\n', ' ') : JSON.stringify(value),
  )
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
