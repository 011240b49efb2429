import { build, type Plugin } from 'esbuild'
import { readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BUILT, BUILT_MARK, isBuilt } from './bin/built.ts'
import { buildImages } from './build-images.ts'

/** Packages that bring files of their own, or that many a service never loads: they are imported from where they are. */
const EXTERNAL = [
  '@electric-sql/pglite',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  '@simplewebauthn/browser',
  '@simplewebauthn/server',
  'fastify',
  'ioredis',
  'nodemailer',
  'pg',
  'pinyin-pro',
  'pino',
]

/** Files that a module reads beside itself stay where they are: its address is told from the folder of what was built. */
const addressesOfSources: Plugin = {
  name: 'addresses-of-sources',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](src|bin)[\\/].*\.ts$/ }, async ({ path }) => {
      const address = `new URL(${JSON.stringify(relative(BUILT, path).replaceAll('\\', '/'))}, import.meta.url).href`
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll(/import\.meta\.url\b/g, address), loader: 'ts' }
    })
  },
}

/**
 * Puts the program's thousand modules, ours and most of its packages', together into a few: a start resolves, reads and
 * strips none of them (decision 0001). What is in the folder is whole at any moment, also when two build at once.
 */
async function buildProgram() {
  const began = new Date()
  const [unfinished, replaced] = [`${BUILT}.${process.pid}`, `${BUILT}.${process.pid}.old`]
  try {
    await bundle(unfinished)
    await buildImages(join(unfinished, 'images'), join(BUILT, 'images'))
    const mark = join(unfinished, BUILT_MARK)
    await writeFile(mark, '')
    // A source that was changed meanwhile is newer.
    await utimes(mark, began, began)
    await rename(BUILT, replaced).catch(unless('ENOENT'))
    await rename(unfinished, BUILT).catch(unless('ENOTEMPTY'))
  } finally {
    for (const folder of [unfinished, replaced]) await rm(folder, { recursive: true, force: true })
  }
}

/** Passes over one error of the file system. */
const unless = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
}

async function bundle(folder: string) {
  await build({
    entryPoints: [join(import.meta.dirname, 'bin/run.ts')],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    external: EXTERNAL,
    plugins: [addressesOfSources],
    // For the CommonJS packages among them.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
}

/** Builds the program unless that was done since its sources changed. */
export async function ensureBuilt() {
  if (!isBuilt()) await buildProgram()
}

if (import.meta.main) await buildProgram()
