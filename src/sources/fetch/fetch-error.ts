import { printableWithin } from '../../kernel/printable.ts'

/** Maximum length, in characters, of a message. It may contain URLs chosen by a server. */
const MAX_MESSAGE_LENGTH = 800

/** Failed download of a dump. The message is one line for the operator. */
export class FetchError extends Error {
  override name = 'FetchError'
  /** True if a later attempt may resume the download. */
  readonly isTransient: boolean

  constructor(
    message: string,
    { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {},
  ) {
    super(printableWithin(MAX_MESSAGE_LENGTH, message), { cause })
    this.isTransient = isTransient
  }
}
