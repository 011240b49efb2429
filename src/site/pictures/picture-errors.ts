/** Why there is no picture of a source. */
export class PictureError extends Error {
  override name = 'PictureError'
  /** Whether it may be there soon: the source was slow, away or overloaded. */
  readonly isPassing: boolean

  constructor(
    message: string,
    { isPassing = false, cause }: { isPassing?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.isPassing = isPassing
  }
}

/** More is asked for at once than is made. */
export class PicturesBusyError extends Error {
  override name = 'PicturesBusyError'
}
