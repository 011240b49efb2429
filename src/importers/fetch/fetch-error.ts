/** A dump that could not be fetched; the message is for whoever asked for it. */
export class FetchError extends Error {
  override name = 'FetchError'
  /** Whether what has arrived may be gone on with, a little later. */
  readonly isPassing: boolean

  constructor(message: string, { isPassing = false, cause }: { isPassing?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isPassing = isPassing
  }
}
