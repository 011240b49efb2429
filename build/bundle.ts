import { build, type Metafile, type Plugin } from 'esbuild'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILT } from '../bin/built.ts'

const ROOT = join(import.meta.dirname, '..')

/** Packages that the packed program depends on; `dependencies` of package.json are these and Node. The rest is bundled. */
export const EXTERNAL = [
  // A library of the machine's own code, and another for each machine.
  'sharp',
  // A file that pages load.
  '@simplewebauthn/browser',
  // Loaded, without a promise to wait for, when the first Chinese name is.
  'pinyin-pro',
]
/** Asked for by a library that does without it. */
const ABSENT = ['pg-native']

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
 * Modules of Node that bring much along, and how they come without it. To import `node:http` is to read all it exports,
 * with them WebSocket and so undici, 40 modules more; what requires it reads what it uses. Fastify requires HTTP/2, 23
 * modules, for servers that are none of ours.
 */
const LIGHTER: Record<string, string> = {
  'node:http': `module.exports = require('node:http')`,
  'node:http2': `for (const name of ['createServer', 'createSecureServer'])
    exports[name] = (...options) => require('node:http2')[name](...options)`,
}

const lighterModules: Plugin = {
  name: 'lighter-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http2?$/ }, ({ path, kind, namespace }) => {
      const name = path.startsWith('node:') ? path : `node:${path}`
      const isWhole = name === 'node:http' && kind === 'require-call'
      return namespace === 'lighter' || isWhole
        ? { path: name, external: true }
        : { path: name, namespace: 'lighter' }
    })
    onLoad({ filter: /^/, namespace: 'lighter' }, ({ path }) => ({ contents: LIGHTER[path] ?? '' }))
  },
}

/** What PGlite reads beside its modules; the rest of its package are extensions and forms that are not used, two fifths of it. */
const FILES_OF_PGLITE = ['pglite.wasm', 'pglite.data', 'initdb.wasm']

/** Puts the program into files of a folder. @returns of what they were made */
export async function bundle(folder: string): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['bin/mokuroku.ts', 'bin/run.ts'],
    metafile: true,
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    // Comments go; names and lines stay, for whoever reads a stack.
    minifyWhitespace: true,
    lineLimit: 200,
    write: false,
    external: [...EXTERNAL, ...ABSENT],
    plugins: [addressesOfSources, lighterModules],
    // For the CommonJS packages among them.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
  await mkdir(folder, { recursive: true })
  for (const { path, text } of outputFiles) await writeFile(path, escapeBeyondAscii(text))
  const pglite = dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite')))
  for (const file of FILES_OF_PGLITE) await cp(join(pglite, file), join(folder, file))
  return metafile
}

/**
 * V8 keeps a source with a single character beyond Latin-1 in two bytes for each of its characters. What esbuild leaves
 * are templates; where one is taken raw, it is the text of a regular expression, which reads the escape itself.
 */
const escapeBeyondAscii = (text: string) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
