import { Argument, InvalidArgumentError } from 'commander'
import { ENTRY_KINDS } from '../../../src/catalog/kinds.ts'

/** Which sort of entry; works share one id space, the others have theirs. */
export const kindArgument = () => new Argument('<kind>', 'what sort of entry').choices(ENTRY_KINDS)

/** @throws {InvalidArgumentError} for what is no id */
export function toId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0
  if (!Number.isSafeInteger(id) || id === 0)
    throw new InvalidArgumentError('It must be a whole number from 1 on, such as 42.')
  return id
}
