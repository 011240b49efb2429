/** An embedded database that cannot be used, although a backup could take its place. */
export class ClusterError extends Error {
  override name = 'ClusterError'
  /** Description of the problem, as a sentence. */
  readonly fault: string
  /** Further advice to the operator, as the beginning of a sentence that ends with a command. */
  readonly alternative: string

  /** @param advice what to do without a backup */
  constructor(
    fault: string,
    advice: string,
    { alternative = '', ...options }: ErrorOptions & { alternative?: string } = {},
  ) {
    super(`${fault} ${advice}`, options)
    this.fault = fault
    this.alternative = alternative
  }
}
