/** A failure whose reason lies outside this program; the message is for whoever typed the command. */
export class Failure extends Error {
  override name = 'Failure'
}
