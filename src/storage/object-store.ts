/** Object in the listing of a store. */
export type StoredObject = {
  name: string
  bytes: number
  /** Time of the last write, in milliseconds since 1970. */
  modifiedAt: number
}

/** Store of named objects. Names use `/` between folders. A write replaces the whole object. A signal aborts a request. */
export type ObjectStore = {
  /** URL without credentials, for messages. */
  readonly address: string
  /** Lists the objects whose names start with a prefix, sorted by name. */
  list(prefix: string, signal?: AbortSignal): Promise<StoredObject[]>
  /**
   * Reads an object into memory.
   *
   * @returns undefined if there is no such object
   */
  read(name: string, signal?: AbortSignal): Promise<Buffer | undefined>
  write(name: string, bytes: Buffer, signal?: AbortSignal): Promise<void>
  /** Deletes an object, if it exists. */
  delete(name: string, signal?: AbortSignal): Promise<void>
}
