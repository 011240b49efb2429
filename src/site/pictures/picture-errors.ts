/** Reason why a picture is unavailable at its source. */
export class PictureError extends Error {
  override name = 'PictureError'
  /** Whether a retry may succeed: the source was slow, unavailable or overloaded. */
  readonly isTransient: boolean

  constructor(
    message: string,
    { isTransient = false, cause }: { isTransient?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.isTransient = isTransient
  }
}

/** Thrown if too many pictures are requested at once. */
export class PicturesBusyError extends Error {
  override name = 'PicturesBusyError'
}
