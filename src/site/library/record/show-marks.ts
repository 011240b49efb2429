import type { FastifyRequest } from 'fastify'
import { isWorkKind, type EntryKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { findStatuses } from '../../../ratings/own/lists/library-queries.ts'

/** Has the cards of these entries say which of them are on the reader's list, before the page is made. */
export async function showMarks(
  db: Database,
  request: FastifyRequest,
  entries: readonly { type: EntryKind; id: number }[],
): Promise<void> {
  const { page: context } = request
  const works = entries.filter(({ type }) => isWorkKind(type)).map(({ id }) => id)
  if (!context.reader || works.length === 0) return
  context.marks = await findStatuses(db, context.reader.accountId, [...new Set(works)])
}
