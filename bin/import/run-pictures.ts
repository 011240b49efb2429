import type { Config } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'
import { fetchPictures } from '../../src/curation/pictures/fetch-pictures.ts'
import { VERSION } from '../../src/kernel/build-info.ts'
import { showProgress } from './import-progress.ts'
import type { PrintOptions } from '../print.ts'

/** Timeout, in milliseconds, of one API request. */
const TIMEOUT_MS = 30_000

/** Fetches pictures from Bangumi's API, with progress on standard error. */
export async function runPictures(
  db: Database,
  { bangumiApiUrl: apiUrl, bangumiRequestsPerMinute: requestsPerMinute }: Config,
  { json = false }: PrintOptions,
): Promise<{ value: object; lines: string[] }> {
  const progress = json
    ? undefined
    : showProgress({
        name: 'bangumi',
        write: (text) => process.stderr.write(text),
        isTerminal: process.stderr.isTTY,
      })
  const { requested, found, refused } = await fetchPictures(db, {
    apiUrl,
    requestsPerMinute,
    userAgent: `mokuroku/${VERSION} (self-hosted catalog)`,
    timeoutMs: TIMEOUT_MS,
    onProgress: (item) => progress?.update(item),
  }).finally(() => progress?.end())
  return {
    value: { asked: requested, found, refused: refused.length },
    lines: [
      '',
      `pictures: ${requested} requested, ${found} found`,
      ...(refused.length > 0
        ? [
            `${refused.length} rejected because they are not on Bangumi's picture host, for example ${refused[0]}`,
          ]
        : []),
    ],
  }
}
