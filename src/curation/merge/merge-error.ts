import { entryRefusalText, type EntryRefusal } from './entry-refusal.ts'

/** Failed merge, unmerge or split. The message is English. */
export class MergeError extends Error {
  override name = 'MergeError'
  readonly refusal: EntryRefusal

  constructor(refusal: EntryRefusal) {
    super(entryRefusalText('en', refusal))
    this.refusal = refusal
  }
}
