/** Reason why a bucket cannot be used. `mokuroku doctor` has advice for each. */
export type StorageFault =
  | 'unreachable'
  | 'access_key'
  | 'secret_key'
  | 'denied'
  | 'missing'
  | 'region'
  | 'clock'
  | 'full'
  | 'unusable'

/** Failure of a bucket. The message is one line and contains no credentials. */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly fault: StorageFault
  /** Whether a retry may succeed. */
  readonly isTransient: boolean

  constructor(
    message: string,
    {
      fault = 'unusable',
      isTransient = false,
      cause,
    }: { fault?: StorageFault; isTransient?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.fault = fault
    this.isTransient = isTransient
  }
}
