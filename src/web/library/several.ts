import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import { ApiError } from '../../http/wire/errors.ts'
import { fieldOf } from '../../pages/form-field.ts'
import { STATUSES } from '../../ratings/fields.ts'
import { findWorkRef } from '../../ratings/own/library-queries.ts'
import { deleteRatings, saveRating, type RatingKey } from '../../ratings/own/queries.ts'
import { shownTitlesOf } from './library-view.ts'
import { findLastChange, MAX_WORKS, workAt, type MarkedWork } from './notice.ts'
import { undoChange } from './undo-change.ts'

/**
 * Gives several works of a list one status, takes them off, or undoes either: all of them or none.
 *
 * @returns what is wrong with the form, in the reader's language, and then nothing was changed
 */
export async function changeSeveral(
  db: Database,
  request: FastifyRequest,
  accountId: number,
): Promise<{ fault: string } | { changed: MarkedWork[] }> {
  const { library: words } = request.page.messages
  const works = chosenWorks(request)
  if (works.length === 0) return { fault: words.nothingChosen }
  if (fieldOf(request, 'act') === 'remove') {
    await deleteRatings(db, accountId, works, null)
    return { changed: works }
  }
  if (fieldOf(request, 'act') === 'undo') {
    const missing = await forEach(db, works, async (trx, work) => {
      // What was changed long ago is left as it is.
      if (await findLastChange(trx, accountId, work)) await undoChange(trx, keyOf(accountId, work))
    })
    return missing ? { fault: words.faults.gone(await titleOf(db, request, missing)) } : { changed: [] }
  }
  const status = STATUSES.find((one) => one === fieldOf(request, 'status'))
  if (status === undefined) return { fault: words.faults.status }
  const missing = await forEach(db, works, (trx, work) =>
    saveRating(trx, keyOf(accountId, work), null, { status }),
  )
  return missing ? { fault: words.faults.gone(await titleOf(db, request, missing)) } : { changed: works }
}

const keyOf = (accountId: number, { kind, id }: MarkedWork): RatingKey => ({ accountId, kind, workId: id })

/** A work of the form that is not in the catalog: nothing is stored then. */
class MissingWork extends Error {
  override name = 'MissingWork'
  readonly work: MarkedWork

  constructor(work: MarkedWork, cause: unknown) {
    super(`${work.kind} ${work.id} is not there`, { cause })
    this.work = work
  }
}

/** @returns the first work that is not there, and then nothing was stored */
async function forEach(
  db: Database,
  works: MarkedWork[],
  change: (trx: Database, work: MarkedWork) => Promise<unknown>,
): Promise<MarkedWork | undefined> {
  try {
    await inTransaction(db, async (trx) => {
      // One after the other, so that two at once lock the records in the same order.
      for (const work of works.toSorted((a, b) => a.id - b.id))
        await change(trx, work).catch((error: unknown) => {
          throw isMissing(error) ? new MissingWork(work, error) : error
        })
    })
    return undefined
  } catch (error) {
    if (error instanceof MissingWork) return error.work
    throw error
  }
}

const isMissing = (error: unknown) =>
  error instanceof ApiError && (error.code === 'COMMON_NOT_FOUND' || error.code === 'WIKI_RESOURCE_MERGED')

/** What the catalog has called it, or its kind and number. */
async function titleOf(db: Database, { page }: FastifyRequest, { kind, id }: MarkedWork): Promise<string> {
  const work = await findWorkRef(db, kind, id)
  const [main] = shownTitlesOf(page, work ?? null)
  return main?.text ?? `${page.messages.kinds[kind]} ${id}`
}

function chosenWorks({ body }: FastifyRequest): MarkedWork[] {
  if (typeof body !== 'object' || body === null || !('work' in body)) return []
  return [body.work]
    .flat()
    .slice(0, MAX_WORKS)
    .flatMap((path) => (typeof path === 'string' ? (workAt(path) ?? []) : []))
}
