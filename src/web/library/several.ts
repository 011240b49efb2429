import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { fieldOf } from '../../pages/form-field.ts'
import type { Messages } from '../../pages/messages/en.ts'
import { STATUSES } from '../../ratings/fields.ts'
import { deleteRating, saveRating } from '../../ratings/own/queries.ts'
import { workAt, type MarkedWork } from './notice.ts'

/** A page has no more of them. */
const MAX_WORKS = 100

/**
 * Gives several works of a list one status, or takes them off.
 *
 * @returns what is wrong with the form, in the reader's language, and then nothing was changed
 */
export async function changeSeveral(
  db: Database,
  request: FastifyRequest,
  accountId: number,
  words: Messages['library'],
): Promise<{ fault: string } | { changed: number }> {
  const works = chosenWorks(request)
  if (works.length === 0) return { fault: words.nothingChosen }
  const status = STATUSES.find((one) => one === fieldOf(request, 'status'))
  const removes = fieldOf(request, 'act') === 'remove'
  if (!removes && status === undefined) return { fault: words.faults.status }
  for (const { kind, id: workId } of works) {
    const key = { accountId, kind, workId }
    await (removes || status === undefined
      ? deleteRating(db, key, null)
      : saveRating(db, key, null, { status }))
  }
  return { changed: works.length }
}

function chosenWorks({ body }: FastifyRequest): MarkedWork[] {
  if (typeof body !== 'object' || body === null || !('work' in body)) return []
  return [body.work]
    .flat()
    .slice(0, MAX_WORKS)
    .flatMap((path) => (typeof path === 'string' ? (workAt(path) ?? []) : []))
}
