import type { FastifyRequest } from 'fastify'
import { isWorkKind, type EntryKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { findStatuses } from '../../../ratings/own/lists/library-queries.ts'

/** Loads the viewer's status for each of these entries, to show on its card. */
export async function loadMarks(
  db: Database,
  request: FastifyRequest,
  entries: readonly { type: EntryKind; id: number }[],
): Promise<void> {
  const { page: context } = request
  const works = entries.filter(({ type }) => isWorkKind(type)).map(({ id }) => id)
  if (!context.viewer || works.length === 0) return
  context.marks = await findStatuses(db, context.viewer.accountId, [...new Set(works)])
}
