/** A failure whose reason lies outside this program; the message is for whoever typed the command. */
export class Failure extends Error {
  override name = 'Failure'
  /** What the program ends with. */
  readonly exitStatus: number

  constructor(
    message: string,
    { exitStatus = 1, ...options }: ErrorOptions & { exitStatus?: number } = {},
  ) {
    super(message, options)
    this.exitStatus = exitStatus
  }
}
