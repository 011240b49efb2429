import { InvalidArgumentError } from 'commander'
import {
  DEFAULT_BAD_ROWS,
  parseBadRowLimit,
  type BadRowLimit,
} from '../../src/sources/dump/bad-rows.ts'
import { shrinkNames } from '../../src/curation/guard/shrink.ts'

/** Options shared by all commands that import. */
export const BAD_ROWS_OPTION = [
  '--max-bad-rows <limit>',
  `unreadable rows to skip per table: a number, or a percentage (default: ${DEFAULT_BAD_ROWS.text})`,
  toLimit,
] as const
export const SHRINK_OPTION = [
  '--allow-shrink [what]',
  'allow these to lose more than 5 %, comma-separated (default: all)',
  toShrinks,
] as const
export const DRY_RUN_OPTION = ['--dry-run', 'print what would change, and change nothing'] as const
export const NO_WAIT_OPTION = ['--no-wait', 'exit if another import is running'] as const

/** @throws {InvalidArgumentError} for anything but a number or a percentage */
function toLimit(text: string): BadRowLimit {
  const limit = parseBadRowLimit(text)
  if (!limit)
    throw new InvalidArgumentError(
      'It must be a number of rows, such as 20, or a percentage, such as 0.1%.',
    )
  return limit
}

/** Splits a comma-separated list of names. */
export const namesIn = (text: string) => text.split(',').filter((name) => name !== '')

/** @throws {InvalidArgumentError} for an unknown kind, list or field */
function toShrinks(text: string): ReadonlySet<string> {
  const names = namesIn(text)
  const known = shrinkNames()
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `${unknown} is unknown. Use a kind of entry, or one of its lists or fields, such as galgame, galgame.staff or person.image.`,
    )
  return new Set(names)
}
