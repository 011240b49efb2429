import { missingEntryError } from '../../catalog/merged.ts'
import type { Database } from '../../db/database.ts'
import { findWorkRef } from '../own/lists/library-queries.ts'
import type { RatingKey } from '../own/queries.ts'

/** @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` if there is no such work */
export async function requireWork(db: Database, { kind, workId }: RatingKey): Promise<void> {
  if (!(await findWorkRef(db, kind, workId))) throw await missingEntryError(db, kind, workId, true)
}
