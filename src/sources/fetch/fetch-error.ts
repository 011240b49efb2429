import { printableWithin } from '../../kernel/printable.ts'

/** Longer than any that is meant: addresses may come from whoever answers. */
const LONGEST = 800

/** A dump that could not be fetched; the message, on one line, is for whoever asked for it. */
export class FetchError extends Error {
  override name = 'FetchError'
  /** Whether what has arrived may be gone on with, a little later. */
  readonly isPassing: boolean

  constructor(
    message: string,
    { isPassing = false, cause }: { isPassing?: boolean; cause?: unknown } = {},
  ) {
    super(printableWithin(LONGEST, message), { cause })
    this.isPassing = isPassing
  }
}
