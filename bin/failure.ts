/** Failure whose cause is outside of this program. The message is for the person at the terminal. */
export class Failure extends Error {
  override name = 'Failure'
  /** Exit status of the process. */
  readonly exitStatus: number

  constructor(
    message: string,
    { exitStatus = 1, ...options }: ErrorOptions & { exitStatus?: number } = {},
  ) {
    super(message, options)
    this.exitStatus = exitStatus
  }
}
