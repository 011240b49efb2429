/** Why there is no picture of a source. */
export class PictureError extends Error {
  override name = 'PictureError'
  /** Whether it may be there soon: the source was slow, away or overloaded. */
  readonly isTransient: boolean

  constructor(
    message: string,
    { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.isTransient = isTransient
  }
}

/** More is asked for at once than is made. */
export class PicturesBusyError extends Error {
  override name = 'PicturesBusyError'
}
