import { InvalidArgumentError } from 'commander'
import {
  DEFAULT_BAD_ROWS,
  parseBadRowLimit,
  type BadRowLimit,
} from '../../src/sources/dump/bad-rows.ts'
import { shrinkNames } from '../../src/curation/guard/shrink.ts'

/** Options of every command that imports. */
export const BAD_ROWS_OPTION = [
  '--max-bad-rows <limit>',
  `unreadable rows of a table that may be left out: a number, or a share (default ${DEFAULT_BAD_ROWS.text})`,
  toLimit,
] as const
export const SHRINK_OPTION = [
  '--allow-shrink [what]',
  'what may lose more than 5 %, with commas; all without it',
  toShrinks,
] as const
export const DRY_RUN_OPTION = ['--dry-run', 'tell what it would do, and change nothing'] as const
export const NO_WAIT_OPTION = ['--no-wait', 'do not wait for another import'] as const

/** @throws {InvalidArgumentError} for what is neither a number nor a share */
function toLimit(text: string): BadRowLimit {
  const limit = parseBadRowLimit(text)
  if (!limit)
    throw new InvalidArgumentError(
      'It must be a number of rows, such as 20, or a share, such as 0.1%.',
    )
  return limit
}

/** Names with commas between them. */
export const namesIn = (text: string) => text.split(',').filter((name) => name !== '')

/** @throws {InvalidArgumentError} for what is no kind, list or field */
function toShrinks(text: string): ReadonlySet<string> {
  const names = namesIn(text)
  const known = shrinkNames()
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `${unknown} is no kind of entries, nor a list or field of one, such as galgame, galgame.staff or person.image.`,
    )
  return new Set(names)
}
