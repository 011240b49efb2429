import { existsSync } from 'node:fs'
import { rename, rm, statfs } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../../kernel/make-folder.ts'
import { sha256Of, findDay } from '../dump/dump-facts.ts'
import { download, type DownloadLimits, type Version } from './download.ts'
import { FetchError } from './fetch-error.ts'
import { readState, writeState } from './fetched-state.ts'
import { findChecksum, findNewest } from './newest.ts'

/** The newest dump of a source, in the folder of downloads. */
export type FetchedDump = { path: string; sha256: string }

export const DOWNLOAD_LIMITS: Omit<DownloadLimits, 'maxBytes'> = {
  stallMs: 60_000,
  tries: 5,
  retryMs: 2_000,
  freeBytes: async (folder) => {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  },
}

/**
 * Brings the newest dump of a source into a folder, unless it is there; one that it has there is removed then.
 *
 * @param address of the dump, or of a `.json` that names it
 * @throws {FetchError} when it does not come, or is not what was published
 */
export async function fetchDump(
  source: string,
  address: string,
  folder: string,
  limits: DownloadLimits,
  onProgress: (bytes: number, total: number | undefined) => void = () => {},
): Promise<FetchedDump> {
  await makeFolder(folder)
  const state = await readState(folder, source)
  const newest = await findNewest(address, limits.stallMs)
  const part = join(folder, `${source}.part`)
  const file = state.file && existsSync(join(folder, state.file.name)) ? state.file : undefined
  const there: FetchedDump | undefined = file && {
    path: join(folder, file.name),
    sha256: file.sha256,
  }
  if (there && newest.sha256 === there.sha256) return there

  const fetched = await download({
    url: newest.url,
    path: part,
    folder,
    begun: state.part?.url === newest.url ? state.part : undefined,
    known: file,
    async onVersion(version) {
      if (file && isSame(file, nameOf(newest.name ?? version.url, source))) return false
      await writeState(folder, source, { ...state, part: { ...version, url: newest.url } })
      return true
    },
    onProgress,
    limits,
  }).catch(async (error: unknown) => {
    // Nothing that goes on: it takes room for nothing.
    if (!(error instanceof FetchError && error.isPassing)) await rm(part, { force: true })
    throw error
  })
  if (!fetched) {
    if (there) return there
    throw new FetchError(`${newest.url} sent nothing.`)
  }
  const published = newest.sha256 ?? (await findChecksum(fetched.url, limits.stallMs))
  const sha256 = await sha256Of(part)
  if (published !== undefined && published !== sha256) {
    await rm(part, { force: true })
    throw new FetchError(
      `${fetched.url} is damaged: its checksum is ${sha256}, and ${published} is published. It was removed; try again.`,
    )
  }
  const name = nameOf(newest.name ?? fetched.url, source)
  const version: Version = { etag: fetched.etag, last_modified: fetched.last_modified }
  await rename(part, join(folder, name))
  await writeState(folder, source, { file: { name, ...version, sha256 } })
  // Only what was brought here is removed, and only when there is a newer one.
  if (file && file.name !== name) await rm(join(folder, file.name), { force: true })
  return { path: join(folder, name), sha256 }
}

/** A name with a day in it is that of one dump alone. */
const isSame = (file: { name: string }, name: string) =>
  file.name === name && findDay(name) !== undefined

/** The name of a dump's file, which leads to no other folder and is none of ours. */
function nameOf(nameOrUrl: string, source: string): string {
  const path = URL.canParse(nameOrUrl) ? new URL(nameOrUrl).pathname : nameOrUrl
  const name = basename(path).replaceAll(/[^\w.-]/g, '_')
  return /^\w/.test(name) && !name.startsWith(`${source}.`) ? name : `dump-${source}-${name}`
}

/** Removes a dump that cannot be opened: what comes the next time may be one. */
export async function forgetFetched(source: string, folder: string): Promise<void> {
  const { file } = await readState(folder, source)
  if (file) await rm(join(folder, file.name), { force: true })
  await writeState(folder, source, {})
}
