import { printableWithin } from '../../kernel/printable.ts'

/** Maximum length of a message, in characters. It may contain names from the dump and errors of libraries. */
const MAX_MESSAGE_LENGTH = 800

/** Problem with a dump. The message is one line that names the file and how to fix the problem. */
export class DumpError extends Error {
  override name = 'DumpError'

  constructor(message: string, options?: ErrorOptions) {
    super(printableWithin(MAX_MESSAGE_LENGTH, message), options)
  }
}
