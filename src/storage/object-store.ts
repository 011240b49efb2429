/** An object, as a store lists it. */
export type StoredObject = {
  name: string
  bytes: number
  /** Time of the last write, in milliseconds since 1970. */
  modifiedAt: number
}

/** Named objects in a local folder or in a bucket. Names use `/` between folders. A write replaces a whole object. */
export type ObjectStore = {
  /** Folder, or URL without credentials, for messages. */
  readonly address: string
  /** Lists the objects whose names start with a prefix, sorted by name. */
  list(prefix: string): Promise<StoredObject[]>
  /**
   * Reads an object into memory.
   *
   * @returns undefined if there is no such object
   */
  read(name: string): Promise<Buffer | undefined>
  write(name: string, bytes: Buffer): Promise<void>
  /** Deletes an object, if it exists. */
  delete(name: string): Promise<void>
}
