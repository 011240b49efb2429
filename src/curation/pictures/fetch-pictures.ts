import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { FetchError } from '../../sources/fetch/fetch-error.ts'
import { changeEntries } from '../merge/merge-entries.ts'
import type { ImportProgress } from '../../sources/records/progress.ts'
import { requestPicture, type PictureResult, type PictureApiOptions } from './request-picture.ts'
import {
  applyPictures,
  countMissingPictures,
  listMissingPictures,
  savePicture,
  type MissingPicture,
} from '../../sources/bangumi/pictures/queries.ts'

/**
 * Number of pictures to fetch before they are shown in the catalog, and number of records to change per transaction.
 */
const BATCH_SIZE = 100
const RECORDS_PER_TRANSACTION = 2_000

/** Maximum number of attempts per picture. The delay between attempts starts at half a minute and doubles each time. */
const MAX_ATTEMPTS = 5
const FIRST_WAIT_SECONDS = 30
const MAX_WAIT_SECONDS = 600

export type FetchPicturesOptions = PictureApiOptions & {
  requestsPerMinute: number
  onProgress?: (progress: ImportProgress) => void
  wait?: (milliseconds: number) => Promise<unknown>
  now?: () => number
}

/** Result of a run. `requested` counts its requests; `refused` lists URLs that lead to other hosts. */
export type PictureSummary = { requested: number; found: number; refused: string[] }

/**
 * Fetches pictures that are missing from Bangumi's Archive and shows them in the catalog. Each result is stored
 * immediately, so the next run continues where an interrupted one stopped.
 *
 * @throws {FetchError} if the API does not respond; pictures found so far are shown
 */
export async function fetchPictures(
  db: Database,
  {
    requestsPerMinute,
    onProgress = () => {},
    wait = setTimeout,
    now = () => performance.now(),
    ...options
  }: FetchPicturesOptions,
): Promise<PictureSummary> {
  const summary: PictureSummary = { requested: 0, found: 0, refused: [] }
  const total = await countMissingPictures(db)
  const reportProgress = () =>
    onProgress({ phase: 'asking', done: summary.requested, total, unit: 'pictures' })
  let nextRequestAt = 0
  const waitForTurn = async () => {
    const early = nextRequestAt - now()
    if (early > 0) await wait(early)
    nextRequestAt = now() + 60_000 / requestsPerMinute
  }
  reportProgress()
  try {
    for (;;) {
      // This also shows pictures that an interrupted run has fetched.
      await showPictures(db)
      const batch = await listMissingPictures(db, BATCH_SIZE)
      if (batch.length === 0) return summary
      for (const picture of batch) {
        const result = await fetchWithRetries(picture, { ...options, wait, waitForTurn })
        await savePicture(db, picture, result.path)
        summary.requested += 1
        if (result.path !== null) summary.found += 1
        if (result.refused !== undefined) summary.refused.push(result.refused)
        reportProgress()
      }
    }
  } catch (error) {
    if (error instanceof FetchError) await showPictures(db)
    throw error
  }
}

type RetryOptions = PictureApiOptions & {
  wait: (milliseconds: number) => Promise<unknown>
  waitForTurn: () => Promise<void>
}

async function fetchWithRetries(
  picture: MissingPicture,
  { wait, waitForTurn, ...options }: RetryOptions,
): Promise<Exclude<PictureResult, { retryReason: string }>> {
  for (let attempt = 1; ; attempt += 1) {
    await waitForTurn()
    const result = await requestPicture(picture, options)
    if (!('retryReason' in result)) return result
    if (attempt === MAX_ATTEMPTS)
      throw new FetchError(
        `${result.retryReason} Gave up after ${MAX_ATTEMPTS} attempts. Run it again later to continue.`,
      )
    if ((result.seconds ?? 0) > MAX_WAIT_SECONDS)
      throw new FetchError(
        `${result.retryReason} The server requires a pause of ${result.seconds} s. Run it again then to continue.`,
      )
    const seconds = result.seconds ?? FIRST_WAIT_SECONDS * 2 ** (attempt - 1)
    await wait(Math.min(seconds, MAX_WAIT_SECONDS) * 1000)
  }
}

async function showPictures(db: Database) {
  while (
    (await changeEntries(db, (trx) => applyPictures(trx, RECORDS_PER_TRANSACTION))) ===
    RECORDS_PER_TRANSACTION
  );
}
