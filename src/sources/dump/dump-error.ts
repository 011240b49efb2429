import { printableWithin } from '../../kernel/printable.ts'

/** Longer than any that is meant; names of tables and members, and what libraries say, are of the file. */
const LONGEST = 800

/** Something is wrong with what was to be read; the message names it, on one line, and says what to do. */
export class DumpError extends Error {
  override name = 'DumpError'

  constructor(message: string, options?: ErrorOptions) {
    super(printableWithin(LONGEST, message), options)
  }
}
