import { existsSync } from 'node:fs'
import { rename, rm, statfs } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../../kernel/make-folder.ts'
import { sha256Of, findDate } from '../dump/dump-facts.ts'
import { download, type DownloadLimits, type Version } from './download.ts'
import { FetchError } from './fetch-error.ts'
import { readState, writeState } from './fetched-state.ts'
import { findChecksum, findNewest } from './find-newest.ts'

/** Newest dump of a source in the download folder. */
export type FetchedDump = { path: string; sha256: string }

export const DOWNLOAD_LIMITS: Omit<DownloadLimits, 'maxBytes'> = {
  stallMs: 60_000,
  maxAttempts: 5,
  firstRetryMs: 2_000,
  freeBytes: async (folder) => {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  },
}

/**
 * Downloads the newest dump of a source, unless the folder already contains it, and deletes the previous one.
 *
 * @param url URL of the dump, or of a `.json` file that names it
 * @throws {FetchError} if the download fails or the checksum differs from the published one
 */
export async function fetchDump(
  source: string,
  url: string,
  folder: string,
  limits: DownloadLimits,
  onProgress: (bytes: number, total: number | undefined) => void = () => {},
): Promise<FetchedDump> {
  await makeFolder(folder)
  const state = await readState(folder, source)
  const newest = await findNewest(url, limits.stallMs)
  const part = join(folder, `${source}.part`)
  const file = state.file && existsSync(join(folder, state.file.name)) ? state.file : undefined
  const current: FetchedDump | undefined = file && {
    path: join(folder, file.name),
    sha256: file.sha256,
  }
  if (current && newest.sha256 === current.sha256) return current

  const fetched = await download({
    url: newest.url,
    path: part,
    folder,
    partial: state.part?.url === newest.url ? state.part : undefined,
    known: file,
    async onVersion(version) {
      if (file && isSameDump(file, fileNameOf(newest.name ?? version.url, source))) return false
      await writeState(folder, source, { ...state, part: { ...version, url: newest.url } })
      return true
    },
    onProgress,
    limits,
  }).catch(async (error: unknown) => {
    // A partial file that cannot be resumed only takes space.
    if (!(error instanceof FetchError && error.isTransient)) await rm(part, { force: true })
    throw error
  })
  if (!fetched) {
    if (current) return current
    throw new FetchError(`${newest.url} returned an empty file.`)
  }
  const published = newest.sha256 ?? (await findChecksum(fetched.url, limits.stallMs))
  const sha256 = await sha256Of(part)
  if (published !== undefined && published !== sha256) {
    await rm(part, { force: true })
    throw new FetchError(
      `${fetched.url} is damaged: its checksum is ${sha256} instead of ${published}. It was deleted; try again.`,
    )
  }
  const name = fileNameOf(newest.name ?? fetched.url, source)
  const version: Version = { etag: fetched.etag, last_modified: fetched.last_modified }
  await rename(part, join(folder, name))
  await writeState(folder, source, { file: { name, ...version, sha256 } })
  // Only files that were downloaded here are deleted, and only after a newer file has arrived.
  if (file && file.name !== name) await rm(join(folder, file.name), { force: true })
  return { path: join(folder, name), sha256 }
}

/** Returns true if a file has the given name, and the name contains a date, so that it identifies one dump. */
const isSameDump = (file: { name: string }, name: string) =>
  file.name === name && findDate(name) !== undefined

/**
 * Returns a safe file name for a dump: inside the folder, and different from the files that store the state of
 * downloads.
 */
function fileNameOf(nameOrUrl: string, source: string): string {
  const path = URL.canParse(nameOrUrl) ? new URL(nameOrUrl).pathname : nameOrUrl
  const name = basename(path).replaceAll(/[^\w.-]/g, '_')
  return /^\w/.test(name) && !name.startsWith(`${source}.`) ? name : `dump-${source}-${name}`
}

/** Deletes a dump that cannot be opened, so that the next run downloads it again. */
export async function discardFetched(source: string, folder: string): Promise<void> {
  const { file } = await readState(folder, source)
  if (file) await rm(join(folder, file.name), { force: true })
  await writeState(folder, source, {})
}
