/** It cannot be done, for a reason that lies outside this program; the message says it to whoever typed the command. */
export class Failure extends Error {
  override name = 'Failure'
}
