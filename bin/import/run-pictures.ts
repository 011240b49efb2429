import type { Config } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'
import { fetchPictures } from '../../src/curation/pictures/fetch-pictures.ts'
import manifest from '../../package.json' with { type: 'json' }
import { showProgress } from './import-progress.ts'
import type { PrintOptions } from '../print.ts'

/** How long an answer of the API may take. */
const TIMEOUT_MS = 30_000

/** Asks Bangumi's API for pictures, with its progress on standard error. */
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
  const { asked, found, refused } = await fetchPictures(db, {
    apiUrl,
    requestsPerMinute,
    userAgent: `mokuroku/${manifest.version} (self-hosted catalog)`,
    timeoutMs: TIMEOUT_MS,
    onProgress: (one) => progress?.update(one),
  }).finally(() => progress?.end())
  return {
    value: { asked, found, refused: refused.length },
    lines: [
      '',
      `pictures: ${asked} asked for, ${found} found`,
      ...(refused.length > 0
        ? [`${refused.length} lead elsewhere than to Bangumi's pictures, such as ${refused[0]}`]
        : []),
    ],
  }
}
