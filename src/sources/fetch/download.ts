import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { FetchError } from './fetch-error.ts'
import { explain, request } from './request.ts'

export type DownloadLimits = {
  /** Of a file; one that is larger is refused, also while it comes. */
  maxBytes: number
  /** The longest time in which nothing comes, in milliseconds. */
  stallMs: number
  /** How often in a row a connection may break without that anything came. */
  tries: number
  /** Before the second try, in milliseconds; twice as long before each further one. */
  retryMs: number
  /** How much room a folder has, in bytes. */
  freeBytes: (folder: string) => Promise<number>
}

/** By what a server names a version of a file. */
export type Version = { etag?: string | undefined; last_modified?: string | undefined }

export type Downloaded = Version & {
  /** Where redirects have led. */
  url: string
  /** Of the whole file. */
  bytes: number
}

export type DownloadOptions = {
  url: string
  /** The file that was begun, and goes on if its version is still the one that is there. */
  path: string
  folder: string
  begun: (Version & { url: string }) | undefined
  /** The version that is there already. */
  known: Version | undefined
  /** Called as soon as the version is known, before its bytes are written. @returns false: it is not wanted */
  onVersion: (version: Version & { url: string }) => Promise<boolean>
  onProgress: (bytes: number, total: number | undefined) => void
  limits: DownloadLimits
}

/**
 * Downloads a file, and goes on where a connection broke, in this run or an earlier one.
 *
 * @returns undefined when the version is the known one, or not wanted
 * @throws {FetchError} for any reason why it could not come whole
 */
export async function download(options: DownloadOptions): Promise<Downloaded | undefined> {
  const { limits, path } = options
  let begun = options.begun
  const onVersion = (version: Version & { url: string }) => {
    begun = version
    return options.onVersion(version)
  }
  let failures = 0
  for (;;) {
    const before = await sizeOf(path)
    try {
      return await attempt({ ...options, begun, onVersion })
    } catch (error) {
      if (!(error instanceof FetchError) || !error.isPassing) throw error
      failures = (await sizeOf(path)) > before ? 1 : failures + 1
      if (failures >= limits.tries) throw error
      await sleep(limits.retryMs * 2 ** (failures - 1))
    }
  }
}

async function attempt(options: DownloadOptions): Promise<Downloaded | undefined> {
  const { url, path, folder, begun, known, limits } = options
  const stop = new AbortController()
  const had = begun ? await sizeOf(path) : 0
  // Of a weak ETag a server sends no part.
  const validator = begun?.etag?.startsWith('"') ? begun.etag : begun?.last_modified
  const resume = had > 0 && validator !== undefined
  const response = await request(
    url,
    {
      ...(resume && { range: `bytes=${had}-`, 'if-range': validator }),
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
  const from = startOf(response, had)
  if (response.status === 416 && resume) {
    // What is there is no beginning of what is published now.
    await (await open(path, 'w')).close()
    return giveUp(
      new FetchError(`${url} is another file than the one that was begun.`, { isPassing: true }),
    )
  }
  if (!response.ok || from === undefined)
    return giveUp(
      new FetchError(
        `${response.url} answers ${response.status}${response.status === 404 ? ': there is no such file' : ''}.`,
        { isPassing: response.status >= 500 || response.status === 429 },
      ),
    )
  if (/^text\/html\b/.test(response.headers.get('content-type') ?? ''))
    return giveUp(new FetchError(`${response.url} is a page and no dump.`))
  if (!(await options.onVersion(version))) return giveUp()

  const length = response.headers.get('content-length')
  const total = length === null ? undefined : from + Number(length)
  const tooLarge = () => new FetchError(`${response.url} is larger than ${inMiB(limits.maxBytes)}.`)
  if (total !== undefined && total > limits.maxBytes) return giveUp(tooLarge())
  const free = await limits.freeBytes(folder)
  if (total !== undefined && total - from > free)
    return giveUp(
      new FetchError(
        `${response.url} needs ${inMiB(total - from)}, and ${folder} has ${inMiB(free)} left.`,
      ),
    )
  const bytes = await writeBody(response, stop, from, total, tooLarge, options)
  if (total !== undefined && bytes < total)
    throw new FetchError(`${response.url} was cut off after ${bytes} of ${total} bytes.`, {
      isPassing: true,
    })
  return { ...version, bytes }
}

/** Where the bytes of an answer begin in the file; undefined when it is none that can be written. */
function startOf({ status, headers }: Response, had: number): number | undefined {
  if (status === 200) return 0
  const [, first] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? []
  return status === 206 && Number(first) === had ? had : undefined
}

/** @returns how many bytes the file has then */
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
  let patience = setTimeout(() => stop.abort(), limits.stallMs)
  try {
    for await (const chunk of response.body ?? []) {
      clearTimeout(patience)
      bytes += chunk.length
      if (bytes > limits.maxBytes) throw tooLarge()
      await file.write(chunk)
      onProgress(bytes, total)
      patience = setTimeout(() => stop.abort(), limits.stallMs)
    }
    await file.sync()
    return bytes
  } catch (error) {
    if (error instanceof FetchError) throw error
    const { code } = error as NodeJS.ErrnoException // as: errors of the system have one
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new FetchError(`The disk of ${folder} is full.`, { cause: error })
    throw explain(response.url, error, stop.signal.aborted)
  } finally {
    clearTimeout(patience)
    await file.close()
  }
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0

const inMiB = (bytes: number) => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MiB`
