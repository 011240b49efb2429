import { printableWithin } from '../../kernel/printable.ts'

/**
 * Maximum length, in characters, of a message. It may contain names from the dump and error messages from libraries.
 */
const MAX_MESSAGE_LENGTH = 800

/** A problem with a dump. The message is one line that names the file and says how to fix the problem. */
export class DumpError extends Error {
  override name = 'DumpError'

  constructor(message: string, options?: ErrorOptions) {
    super(printableWithin(MAX_MESSAGE_LENGTH, message), options)
  }
}
