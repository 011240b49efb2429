import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { CHECKOUT } from '#test/program.ts'

const fileOf = (folder: string, version: string) => join(folder, `${version}.openapi.json.zst`)

/** Stores the OpenAPI document of this version for later comparisons. */
export async function storeDocument(folder: string, version: string) {
  const text = await readFile(join(CHECKOUT, 'openapi.json'))
  const params = { [constants.ZSTD_c_compressionLevel]: 19 }
  await writeFile(fileOf(folder, version), zstdCompressSync(text, { params }))
}

/** Returns the OpenAPI document of a released version. */
export const readReleasedDocument = async (version: string): Promise<unknown> =>
  JSON.parse(zstdDecompressSync(await readFile(fileOf(import.meta.dirname, version))).toString())
