import type { Metafile } from 'esbuild'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** The folder of a package, at the end of all that may be around it, in the path of one of its files. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * The licences of the packages whose text is in the bundle, as they ask for: each in the words of its own file.
 *
 * @throws {Error} when a package has no licence
 */
export async function collectLicenses({ inputs }: Metafile): Promise<string> {
  const folders = new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[0] ?? []))
  const texts: string[] = []
  for (const folder of [...folders].toSorted()) texts.push(await readLicense(join(ROOT, folder)))
  return `The files in this folder contain these packages.\n\n${texts.join('\n\n')}\n`
}

async function readLicense(folder: string): Promise<string> {
  // as: a package has them
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: unknown }
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (typeof license !== 'string' && files.length === 0)
    throw new Error(`${name} ${version} is bundled and has no licence.`)
  const texts = await Promise.all(
    files.toSorted().map((file) => readFile(join(folder, file), 'utf8')),
  )
  return [`## ${name} ${version}: ${String(license)}`, ...texts.map((text) => text.trim())].join(
    '\n\n',
  )
}
