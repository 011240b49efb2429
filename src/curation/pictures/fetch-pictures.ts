import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { FetchError } from '../../sources/fetch/fetch-error.ts'
import { changeEntries } from '../merge/merge-entries.ts'
import type { ImportProgress } from '../../sources/records/progress.ts'
import { askForPicture, type PictureAnswer, type AskOptions } from './ask.ts'
import {
  applyPictures,
  countWanted,
  listWanted,
  saveAnswer,
  type WantedPicture,
} from '../../sources/bangumi/pictures/queries.ts'

/** Pictures that are asked for before the catalog shows them, and records that are changed in one transaction. */
const SHOWN_AT_ONCE = 100
const CHANGED_AT_ONCE = 2_000

/** How often one picture is asked for, and how long is waited between: from half a minute on, twice as long each time. */
const TRIES = 5
const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 600

export type FetchPicturesOptions = AskOptions & {
  requestsPerMinute: number
  onProgress?: (progress: ImportProgress) => void
  /** Waits so many milliseconds. */
  wait?: (milliseconds: number) => Promise<unknown>
  now?: () => number
}

/** `asked` of this run; `refused` are addresses that lead elsewhere than to Bangumi's pictures. */
export type PictureSummary = { asked: number; found: number; refused: string[] }

/**
 * Asks Bangumi for the pictures that its Archive does not publish, of what has none, and shows them in the catalog. Each
 * answer is kept at once: broken off, it goes on where it was.
 *
 * @throws {FetchError} when the API does not answer; what was found until then is shown
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
  const summary: PictureSummary = { asked: 0, found: 0, refused: [] }
  const total = await countWanted(db)
  const tell = () => onProgress({ phase: 'asking', done: summary.asked, total, unit: 'pictures' })
  let mayAskAt = 0
  const inTurn = async () => {
    const early = mayAskAt - now()
    if (early > 0) await wait(early)
    mayAskAt = now() + 60_000 / requestsPerMinute
  }
  tell()
  try {
    for (;;) {
      // Also what a run found that was broken off.
      await showPictures(db)
      const batch = await listWanted(db, SHOWN_AT_ONCE)
      if (batch.length === 0) return summary
      for (const one of batch) {
        const answer = await askUntilAnswered(one, { ...options, wait, inTurn })
        await saveAnswer(db, one, answer.path)
        summary.asked += 1
        if (answer.path !== null) summary.found += 1
        if (answer.refused !== undefined) summary.refused.push(answer.refused)
        tell()
      }
    }
  } catch (error) {
    if (error instanceof FetchError) await showPictures(db)
    throw error
  }
}

type Patience = AskOptions & {
  wait: (milliseconds: number) => Promise<unknown>
  inTurn: () => Promise<void>
}

async function askUntilAnswered(
  one: WantedPicture,
  { wait, inTurn, ...options }: Patience,
): Promise<Exclude<PictureAnswer, { again: string }>> {
  for (let attempt = 1; ; attempt += 1) {
    await inTurn()
    const answer = await askForPicture(one, options)
    if (!('again' in answer)) return answer
    if (attempt === TRIES)
      throw new FetchError(
        `${answer.again} It was asked ${TRIES} times; run it again later, it goes on where it was.`,
      )
    if ((answer.seconds ?? 0) > LONGEST_WAIT_SECONDS)
      throw new FetchError(
        `${answer.again} It is not to be asked for ${answer.seconds} s; run it again then, it goes on where it was.`,
      )
    const seconds = answer.seconds ?? FIRST_WAIT_SECONDS * 2 ** (attempt - 1)
    await wait(Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000)
  }
}

async function showPictures(db: Database) {
  while (
    (await changeEntries(db, (trx) => applyPictures(trx, CHANGED_AT_ONCE))) === CHANGED_AT_ONCE
  );
}
