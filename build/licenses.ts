import type { Metafile } from 'esbuild'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Matches the innermost package folder in the path of a file. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * Collects the license texts of all bundled packages, as their licenses require.
 *
 * @throws {Error} if a package has no license
 */
export async function collectLicenses(metafile: Metafile): Promise<string> {
  const texts: string[] = []
  for (const folder of listBundledPackages(metafile)) texts.push(await readLicense(folder))
  return `The files in this folder contain these packages.\n\n${texts.join('\n\n')}\n`
}

/** Lists the folders of all bundled packages. */
export const listBundledPackages = ({ inputs }: Metafile): string[] =>
  [...new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))]
    .toSorted()
    .map((folder) => join(ROOT, folder))

async function readLicense(folder: string): Promise<string> {
  // as: every package has these fields
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: unknown }
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (typeof license !== 'string' && files.length === 0)
    throw new Error(`${name} ${version} is bundled and has no license.`)
  const texts = await Promise.all(
    files.toSorted().map((file) => readFile(join(folder, file), 'utf8')),
  )
  return [`## ${name} ${version}: ${String(license)}`, ...texts.map((text) => text.trim())].join(
    '\n\n',
  )
}
