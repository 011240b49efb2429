/** An embedded database that cannot be used, although a backup could take its place. */
export class ClusterError extends Error {
  override name = 'ClusterError'
  /** What is wrong, as a sentence. */
  readonly fault: string
  /** What else the operator can do, as the beginning of a sentence that ends with a command. */
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
