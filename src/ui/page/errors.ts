/** A refusal that is shown on a page, in the reader's language. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  /** Missing: the heading every refusal has. */
  readonly title: string | undefined

  /**
   * @param status of HTTP
   * @param title heading of the page
   * @param text what is wrong and what to do now
   */
  constructor(status: number, title: string | undefined, text: string) {
    super(text)
    this.status = status
    this.title = title
  }
}
