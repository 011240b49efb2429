import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a folder of downloads remembers of a source, in `SOURCE.json`. */
export type FetchedState = {
  /** The last dump that came whole. */
  file?: {
    name: string
    /** As its server names this version; with either it need not be sent again. */
    etag?: string | undefined
    last_modified?: string | undefined
    sha256: string
  }
  /** One that has come in part, in `SOURCE.part`. */
  part?: { url: string; etag?: string | undefined; last_modified?: string | undefined }
}

const pathOf = (folder: string, source: string) => join(folder, `${source}.json`)

/** Nothing, where there is no such file or it is damaged: then all is fetched anew. */
export async function readState(folder: string, source: string): Promise<FetchedState> {
  try {
    // as: only this module writes it
    return JSON.parse(await readFile(pathOf(folder, source), 'utf8')) as FetchedState
  } catch {
    return {}
  }
}

/** Never seen half-written. */
export async function writeState(
  folder: string,
  source: string,
  state: FetchedState,
): Promise<void> {
  const path = pathOf(folder, source)
  await writeFile(`${path}.new`, `${JSON.stringify(state, undefined, 2)}\n`)
  await rename(`${path}.new`, path)
}
