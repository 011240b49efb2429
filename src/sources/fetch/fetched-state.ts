import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocatedVersion, Version } from './download.ts'

/** State of a source's downloads, stored in `SOURCE.json`. */
export type FetchedState = {
  /** Last complete dump. */
  file?: Version & { name: string; sha256: string }
  /** Partial download in `SOURCE.part`. */
  part?: LocatedVersion
}

const pathOf = (folder: string, source: string) => join(folder, `${source}.json`)

/** Reads the state. Returns an empty state if the file is missing or damaged, so that the dump is downloaded again. */
export async function readState(folder: string, source: string): Promise<FetchedState> {
  try {
    // as: only this module writes it
    return JSON.parse(await readFile(pathOf(folder, source), 'utf8')) as FetchedState
  } catch {
    return {}
  }
}

/** Replaces the file atomically. */
export async function writeState(
  folder: string,
  source: string,
  state: FetchedState,
): Promise<void> {
  const path = pathOf(folder, source)
  await writeFile(`${path}.new`, `${JSON.stringify(state, undefined, 2)}\n`)
  await rename(`${path}.new`, path)
}
