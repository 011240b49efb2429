import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { FetchError } from './fetch-error.ts'
import { toFetchError, request } from './request.ts'

export type DownloadLimits = {
  /** Maximum size of a file, in bytes. Checked when the server announces the size, and while downloading. */
  maxBytes: number
  /** Maximum time without data, in milliseconds. */
  stallMs: number
  /** Maximum number of consecutive attempts without progress. */
  maxAttempts: number
  /** Delay before the second attempt, in milliseconds. Doubles for each further attempt. */
  firstRetryMs: number
  /** Returns the free space of a folder, in bytes. */
  freeBytes: (folder: string) => Promise<number>
}

/** Validators by which a server identifies the version of a file. */
export type Version = { etag?: string | undefined; last_modified?: string | undefined }

/** Version at its final URL after redirects. */
export type LocatedVersion = Version & { url: string }

export type DownloadOptions = {
  url: string
  /** File with a partial download, which is resumed if its version is still current. */
  path: string
  folder: string
  partial: LocatedVersion | undefined
  /** Version that has already been downloaded. */
  known: Version | undefined
  /**
   * Called when the version is known, before any bytes are written.
   *
   * @returns false to cancel the download
   */
  onVersion: (version: LocatedVersion) => Promise<boolean>
  onProgress: (bytes: number, total: number | undefined) => void
  limits: DownloadLimits
}

/**
 * Downloads a file. Resumes after a broken connection, even in a later run.
 *
 * @returns undefined if the known version is current or `onVersion` cancels
 * @throws {FetchError} if the download fails
 */
export async function download(options: DownloadOptions): Promise<LocatedVersion | undefined> {
  const { limits, path } = options
  let partial = options.partial
  const onVersion = (version: LocatedVersion) => {
    partial = version
    return options.onVersion(version)
  }
  let failures = 0
  for (;;) {
    const before = await sizeOf(path)
    try {
      return await attempt({ ...options, partial, onVersion })
    } catch (error) {
      if (!(error instanceof FetchError) || !error.isTransient) throw error
      failures = (await sizeOf(path)) > before ? 1 : failures + 1
      if (failures >= limits.maxAttempts) throw error
      await sleep(limits.firstRetryMs * 2 ** (failures - 1))
    }
  }
}

async function attempt(options: DownloadOptions): Promise<LocatedVersion | undefined> {
  const { url, path, folder, partial, known, limits } = options
  const stop = new AbortController()
  const partialBytes = partial ? await sizeOf(path) : 0
  // Servers do not accept a weak ETag for range requests.
  const validator = partial?.etag?.startsWith('"') ? partial.etag : partial?.last_modified
  const resume = partialBytes > 0 && validator !== undefined
  const response = await request(
    url,
    {
      ...(resume && { range: `bytes=${partialBytes}-`, 'if-range': validator }),
      ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
      ...(known?.etag === undefined &&
        known?.last_modified !== undefined && { 'if-modified-since': known.last_modified }),
    },
    limits.stallMs,
    stop,
  )
  const version = {
    url: response.url,
    etag: response.headers.get('etag') ?? undefined,
    last_modified: response.headers.get('last-modified') ?? undefined,
  }
  const giveUp = async (result?: FetchError) => {
    await response.body?.cancel().catch(() => {})
    if (result) throw result
    return undefined
  }
  if (response.status === 304) return giveUp()
  const from = bodyOffset(response, partialBytes)
  if (response.status === 416 && resume) {
    // The partial file does not belong to the version that is published now.
    await (await open(path, 'w')).close()
    return giveUp(
      new FetchError(`${url} has changed since the download began.`, { isTransient: true }),
    )
  }
  if (!response.ok || from === undefined)
    return giveUp(
      new FetchError(
        `${response.url} returned status ${response.status}${response.status === 404 ? ': the file does not exist' : ''}.`,
        { isTransient: response.status >= 500 || response.status === 429 },
      ),
    )
  if (/^text\/html\b/.test(response.headers.get('content-type') ?? ''))
    return giveUp(new FetchError(`${response.url} is an HTML page, not a dump.`))
  if (!(await options.onVersion(version))) return giveUp()

  const length = response.headers.get('content-length')
  const total = length === null ? undefined : from + Number(length)
  const tooLarge = () =>
    new FetchError(`${response.url} is larger than ${formatMiB(limits.maxBytes)}.`)
  if (total !== undefined && total > limits.maxBytes) return giveUp(tooLarge())
  const free = await limits.freeBytes(folder)
  if (total !== undefined && total - from > free)
    return giveUp(
      new FetchError(
        `${response.url} needs ${formatMiB(total - from)}, but ${folder} only has ${formatMiB(free)} left.`,
      ),
    )
  const bytes = await writeBody(response, stop, from, total, tooLarge, options)
  if (total !== undefined && bytes < total)
    throw new FetchError(`${response.url} was cut off after ${bytes} of ${total} bytes.`, {
      isTransient: true,
    })
  return version
}

/** Returns the offset in the file at which the body starts, or `undefined` if the response is not usable. */
function bodyOffset({ status, headers }: Response, partialBytes: number): number | undefined {
  if (status === 200) return 0
  const [, first] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? []
  return status === 206 && Number(first) === partialBytes ? partialBytes : undefined
}

/**
 * Writes a response body to the file.
 *
 * @returns the size of the file afterwards
 */
async function writeBody(
  response: Response,
  stop: AbortController,
  from: number,
  total: number | undefined,
  tooLarge: () => FetchError,
  { path, folder, limits, onProgress }: DownloadOptions,
): Promise<number> {
  const file = await open(path, from > 0 ? 'a' : 'w')
  let bytes = from
  let timer = setTimeout(() => stop.abort(), limits.stallMs)
  try {
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer)
      bytes += chunk.length
      if (bytes > limits.maxBytes) throw tooLarge()
      await file.write(chunk)
      onProgress(bytes, total)
      timer = setTimeout(() => stop.abort(), limits.stallMs)
    }
    await file.sync()
    return bytes
  } catch (error) {
    if (error instanceof FetchError) throw error
    const { code } = error as NodeJS.ErrnoException // as: system errors have a code
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new FetchError(`The disk of ${folder} is full.`, { cause: error })
    throw toFetchError(response.url, error, stop.signal.aborted)
  } finally {
    clearTimeout(timer)
    await file.close()
  }
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0

const formatMiB = (bytes: number) => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MiB`
