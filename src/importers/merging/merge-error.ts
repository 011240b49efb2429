/** Why two entries cannot become one, or two again; the message is for whoever asked. */
export class MergeError extends Error {
  override name = 'MergeError'
}
