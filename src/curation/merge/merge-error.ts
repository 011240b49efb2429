import { entryRefusalText, type EntryRefusal } from './entry-refusal.ts'

/** A merge, unmerge or split that failed. The message is in English. */
export class MergeError extends Error {
  override name = 'MergeError'
  readonly refusal: EntryRefusal

  constructor(refusal: EntryRefusal) {
    super(entryRefusalText('en', refusal))
    this.refusal = refusal
  }
}
