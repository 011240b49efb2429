import { build, type Metafile, type Plugin } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILT } from '../bin/built.ts'

const ROOT = join(import.meta.dirname, '..')

/** Packages that are not bundled. `dependencies` in package.json lists exactly these. */
export const EXTERNAL = [
  // Has a native library for each platform.
  'sharp',
  // Has a file that pages load.
  '@simplewebauthn/browser',
  // Loaded synchronously when the first Chinese name is processed.
  'pinyin-pro',
]
/** Optional packages that a library tries to load. Some are installed for other packages that only tests use. */
const ABSENT = ['pg-native', 'supports-color']

/**
 * Replaces `import.meta.url`, so that modules find their files at the original location, relative to the built folder.
 */
const sourceUrls: Plugin = {
  name: 'source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](src|bin)[\\/].*\.ts$/ }, async ({ path }) => {
      const url = `new URL(${JSON.stringify(relative(BUILT, path).replaceAll('\\', '/'))}, import.meta.url).href`
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll(/import\.meta\.url\b/g, url), loader: 'ts' }
    })
  },
}

/**
 * Node modules that load many other modules, each with a replacement that does not. Importing `node:http` evaluates
 * all its exports, including WebSocket and therefore undici with 40 more modules. Requiring it evaluates only what is
 * used. Fastify requires HTTP/2 with 23 modules, which this service does not use.
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
      // A dynamic import of a replacement would have no named exports.
      const isWhole = kind === 'dynamic-import' || (name === 'node:http' && kind === 'require-call')
      return namespace === 'lighter' || isWhole
        ? { path: name, external: true }
        : { path: name, namespace: 'lighter' }
    })
    onLoad({ filter: /^/, namespace: 'lighter' }, ({ path }) => ({ contents: LIGHTER[path] ?? '' }))
  },
}

/**
 * Returns the commit of the checkout, with `-dirty` if files have been changed. A build without the repository, as in a
 * container, gets it in `REVISION`. Empty if it is unknown.
 */
function findCommit(): string {
  const given = process.env['REVISION']
  if (given !== undefined && given !== '') return given
  // Otherwise git would find the repository of an outer folder.
  if (!existsSync(join(ROOT, '.git'))) return ''
  const { stdout } = spawnSync(
    'git',
    ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'],
    { cwd: ROOT, encoding: 'utf8' },
  )
  // `stdout` is null if git is not installed.
  return (stdout as string | null)?.trim() ?? ''
}

/** Files that PGlite reads at run time. The rest of the package, two fifths of its size, is unused. */
const FILES_OF_PGLITE = ['pglite.wasm', 'pglite.data', 'initdb.wasm']

/**
 * Bundles the program into a folder.
 *
 * @returns esbuild's metadata about the inputs
 */
export async function bundle(folder: string, commit = findCommit()): Promise<Metafile> {
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
    // Removes comments, but keeps names and lines for stack traces.
    minifyWhitespace: true,
    lineLimit: 200,
    write: false,
    external: [...EXTERNAL, ...ABSENT],
    define: { BUILD_COMMIT: JSON.stringify(commit) },
    plugins: [sourceUrls, lighterModules],
    // Bundled CommonJS packages call `require`.
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
 * Escapes non-ASCII characters. A single character beyond Latin-1 makes V8 store the whole source in two bytes per
 * character. After esbuild, such characters remain only in template literals. The raw literals are sources of regular
 * expressions, which parse the escape themselves.
 */
const escapeBeyondAscii = (text: string) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
