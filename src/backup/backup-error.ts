/** A backup that cannot be used. The message names the file and says what is wrong. */
export class BackupError extends Error {
  override name = 'BackupError'
}
