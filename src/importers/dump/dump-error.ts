/** Something is wrong with what was to be read; the message names it and says what to do. */
export class DumpError extends Error {
  override name = 'DumpError'
}
