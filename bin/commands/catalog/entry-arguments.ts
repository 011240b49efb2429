import { Argument, Command, InvalidArgumentError } from 'commander'
import { ENTRY_KINDS } from '../../../src/catalog/kinds.ts'
import { JSON_OPTION } from '../../print.ts'

/**
 * Creates a command whose first argument is the kind of an entry. All works share one ID space; each other kind has a
 * separate one.
 */
export const kindCommand = (name: string) =>
  new Command(name)
    .addArgument(new Argument('<kind>', 'kind of the entry').choices(ENTRY_KINDS))
    .option(...JSON_OPTION)

/** @throws {InvalidArgumentError} for a malformed ID */
export function toId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0
  if (!Number.isSafeInteger(id) || id === 0)
    throw new InvalidArgumentError('It must be a positive whole number, such as 42.')
  return id
}
