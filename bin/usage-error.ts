/** What was asked for cannot be meant so; the message says what can. */
export class UsageError extends Error {
  override name = 'UsageError'
}
