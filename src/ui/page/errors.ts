/** Error whose message is shown to the viewer, in their language. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  /** Defaults to the general heading of errors. */
  readonly title: string | undefined
  /** Link to the next step. */
  readonly nextLink: { href: string; text: string } | undefined

  /**
   * @param status HTTP status
   * @param title heading of the page
   * @param text what went wrong and what to do now
   */
  constructor(
    status: number,
    title: string | undefined,
    text: string,
    nextLink?: { href: string; text: string },
  ) {
    super(text)
    this.status = status
    this.title = title
    this.nextLink = nextLink
  }
}
