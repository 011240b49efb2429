import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Folders, grouped by layer. A folder imports only from layers below it, never from its own layer
 * (docs/architecture.md).
 */
const LAYERS = [
  ['test'],
  ['bench'],
  ['build'],
  ['bin'],
  ['src'],
  ['src/console', 'src/desk', 'src/machines', 'src/mcp'],
  ['src/guide'],
  ['src/site'],
  ['src/doctor'],
  ['src/profiles', 'src/notifications', 'src/backup', 'src/instance', 'src/retention'],
  [
    'src/identity',
    'src/curation',
    'src/ratings',
    'src/collections',
    'src/similar',
    'src/moderation',
  ],
  [
    'src/search',
    'src/browse',
    'src/webhooks',
    'src/sources/bangumi',
    'src/sources/ranobedb',
    'src/sources/vndb',
  ],
  ['src/sources/fetch'],
  ['src/sources/dump'],
  ['src/sources/records'],
  ['src/catalog', 'src/apps', 'src/accounts', 'src/operations'],
  ['src/ui', 'src/audit', 'src/uploads'],
  ['src/http/document'],
  ['src/http/admission'],
  ['src/http/wire', 'src/db', 'src/storage'],
  ['src/i18n', 'src/outbound'],
  ['src/config'],
  ['src/kernel'],
  ['src/sources'],
]

/** Libraries that only one part of the code may import. */
const LIBRARIES: Record<string, RegExp> = {
  kysely:
    /^bench\/|^src\/(db\/|sources\/|curation\/|.*queries\.ts$|.*fragments\.ts$|demo\.ts$|describe-api\.ts$)/,
  'oidc-provider': /^src\/identity\/|^bench\/floors\//,
  fastify:
    /^bench\/peers\.ts$|^src\/(app|http-server|server|pages)\.ts$|^src\/(http|accounts|catalog|apps|identity|operations|ui|ratings|collections|search|browse|similar|profiles|uploads|moderation|site|console|desk|guide|machines|mcp)\//,
  '@fastify/cookie': /^src\/ui\//,
  '@fastify/helmet': /^bench\/peers\.ts$/,
  '@fastify/rate-limit': /^bench\/peers\.ts$/,
  nodemailer: /^src\/accounts\/mail\//,
  '@simplewebauthn/server': /^src\/accounts\//,
  otpauth: /^src\/accounts\//,
  pg: /^src\/db\/|^bench\//,
  '@electric-sql/pglite': /^src\/db\//,
  ioredis: /^src\/http\/admission\/leases\/redis-(facts|throttle|windows)\.ts$/,
  commander: /^bin\//,
  'intl-messageformat': /^src\/i18n\//,
  'markdown-it': /^src\/instance\//,
  aws4fetch: /^src\/storage\//,
  '@modelcontextprotocol/server': /^src\/mcp\//,
  sharp: /^src\/(site\/pictures\/picture-encoder|uploads\/load-sharp)\.ts$/,
}

/** Maximum number of files in a chain of imports. Type imports do not count. */
const MAX_CHAIN = 20

type Import = { file: string; target: string }

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const isTest = (file: string) => file.endsWith('.test.ts') || file.startsWith('test/')

const folderOf = (file: string) =>
  LAYERS.flat()
    .filter((folder) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0] ?? ''
const layerOf = (folder: string) => LAYERS.findIndex((line) => line.includes(folder))

function targetOf(file: string, specifier: string) {
  if (specifier.startsWith('#test/')) return `test/support/${specifier.slice('#test/'.length)}`
  return specifier.startsWith('.')
    ? relative(ROOT, join(ROOT, dirname(file), specifier))
    : specifier
}

const importsOf = (file: string): Import[] =>
  [...read(file).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, specifier = '']) => ({
    file,
    target: targetOf(file, specifier),
  }))

/** Lists the modules that a file loads at run time, excluding type-only imports. */
const runtimeImportsOf = (file: string): string[] =>
  [...read(file).matchAll(/^import (?!type\b)[^']*from '([^']+)'/gm)].map(([, specifier = '']) =>
    targetOf(file, specifier),
  )

/** Returns the longest chain in which each file loads the next one. */
function longestChain(loads: ReadonlyMap<string, string[]>): string[] {
  const chains = new Map<string, string[]>()
  const chainFrom = (file: string): string[] => {
    const known = chains.get(file)
    if (known) return known
    const rest = longestOf((loads.get(file) ?? []).map(chainFrom))
    const chain = [file, ...rest]
    chains.set(file, chain)
    return chain
  }
  return longestOf([...loads.keys()].map(chainFrom))
}

const longestOf = (chains: string[][]) =>
  chains.reduce((longest, chain) => (chain.length > longest.length ? chain : longest), [])

/** Returns a cycle of imports, if any. */
function findCycle(imports: Import[]): string[] | undefined {
  const targets = Map.groupBy(imports, ({ file }) => file)
  const finished = new Set<string>()
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (finished.has(file)) return undefined
    for (const { target } of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file])
      if (cycle) return cycle
    }
    finished.add(file)
    return undefined
  }
  for (const file of targets.keys()) {
    const cycle = visit(file, [])
    if (cycle) return cycle
  }
  return undefined
}

const allFiles = (
  await Array.fromAsync(glob('{bin,bench,build,src,test}/**/*.ts', { cwd: ROOT }))
).toSorted()
const allImports = allFiles.flatMap(importsOf)
const files = allFiles.filter((file) => !isTest(file))
const imports = allImports.filter(({ file }) => !isTest(file))

describe('the architecture', () => {
  it('covers every folder with code', () => {
    const folders = new Set(allFiles.map(folderOf))
    assert.deepEqual([...folders].toSorted(), LAYERS.flat().toSorted())
    const internal = imports.filter(({ target }) => /^(bin|bench|build|src)\//.test(target))
    assert.deepEqual(
      internal.filter(({ target }) => !existsSync(join(ROOT, target))),
      [],
    )
    assert.ok(
      internal.length > 2 * files.length,
      `only ${internal.length} imports in ${files.length} files`,
    )
  })

  it('allows imports only from lower layers', () => {
    for (const { file, target } of imports) {
      if (!/^(src|bin|bench|build|test)\//.test(target)) continue
      // Benchmarks use the tests' databases and processes.
      if (file.startsWith('bench/') && target.startsWith('test/support/')) continue
      const [from, to] = [folderOf(file), folderOf(target)]
      assert.ok(from === to || layerOf(from) < layerOf(to), `${file} imports ${target}`)
    }
  })

  it('has no import cycles, even within a folder', () => {
    assert.equal(findCycle(allImports)?.join(' → '), undefined)
  })

  it('has a test that detects import cycles', () => {
    const cycle = findCycle([
      { file: 'a', target: 'b' },
      { file: 'b', target: 'c' },
      { file: 'c', target: 'b' },
    ])
    assert.deepEqual(cycle, ['b', 'c', 'b'])
  })

  it('has no chain of imports longer than 20 files', () => {
    const loads = new Map(
      files.map((file) => [
        file,
        runtimeImportsOf(file).filter((target) => files.includes(target)),
      ]),
    )
    const chain = longestChain(loads)
    assert.ok(chain.length <= MAX_CHAIN, `${chain.length} files: ${chain.join(' → ')}`)
    assert.ok(chain.length > MAX_CHAIN / 2, 'no imports were found')
  })

  it('has a test that finds the longest chain of imports', () => {
    const loads = new Map([
      ['a', ['d', 'b']],
      ['b', ['c']],
      ['c', ['d']],
      ['d', []],
    ])
    assert.deepEqual(longestChain(loads), ['a', 'b', 'c', 'd'])
  })

  it('restricts each library to one part of the code', () => {
    for (const { file, target } of imports) {
      const allowed = LIBRARIES[target]
      assert.ok(!allowed || allowed.test(file), `${file} imports ${target}`)
    }
  })

  it('does not load the OpenID provider with any view', () => {
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      if (!files.includes(file)) return
      runtimeImportsOf(file).forEach(load)
    }
    const views = files.filter((file) => /views?\/|-view\.ts$/.test(file))
    assert.ok(views.length > 50)
    views.forEach(load)
    assert.ok(!loaded.has('src/identity/provider/oidc-provider.ts'))
    load('src/identity/provider/provider.ts')
    assert.ok(loaded.has('src/identity/provider/oidc-provider.ts'))
  })

  it('has at most 15 files in each folder, not counting tests', async () => {
    const code = await Array.fromAsync(glob('{src,bin,build}/**/*.{ts,js,css}', { cwd: ROOT }))
    const folders = Map.groupBy(
      code.filter((file) => !isTest(file)),
      (file) => dirname(file),
    )
    const crowded = [...folders]
      .filter(([, inside]) => inside.length > 15)
      .map(([folder]) => folder)
    assert.deepEqual(crowded, [])
  })

  it('has no file that uses both HTTP and SQL', () => {
    const both = files.filter(
      (file) =>
        file.startsWith('src/') &&
        /from 'fastify'/.test(read(file)) &&
        /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bqueryRows[<(]|\bsql(\.raw)?(<[^`]*>)?`/.test(
          read(file),
        ),
    )
    assert.deepEqual(both, [])
  })

  it('names the columns of each query, so that a new column does not change the result of a prepared statement', () => {
    for (const file of files.filter(
      (name) => name.startsWith('src/') && !name.endsWith('.test.ts'),
    ))
      assert.doesNotMatch(read(file), /\.(?:select|returning)All\(/, file)
  })

  it('runs without a build: Node can strip the types of every file', () => {
    // Type stripping rejects some syntax that TypeScript accepts, such as `for (const of of list)`.
    for (const file of files.filter((name) => /^(src|bin|build)\//.test(name)))
      assert.doesNotThrow(() => stripTypeScriptTypes(read(file)), file)
  })

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => /process\.env/.test(read(file)))
    assert.deepEqual(
      readers.filter((file) => file.startsWith('src/')),
      ['src/config/config.ts'],
    )
  })

  it('sends requests to other servers in one place', () => {
    const senders = files.filter(
      (file) =>
        /^(src|bin)\//.test(file) &&
        !file.startsWith('src/guide/snippets/') &&
        /(?<![.#\w])fetch\(|globalThis\.fetch|(?:from|import\() *'undici'|import (?!type\b)\{[^}]*\b(request|get|Agent)\b[^}]*\} from 'node:https?'/.test(
          read(file).replaceAll(/^\s*(\*|\/\/).*$/gm, ''),
        ),
    )
    assert.deepEqual(senders, [
      // Contacts the service on this machine only.
      'bin/commands/healthcheck.ts',
      // Runs in browsers, and requests this service only.
      'src/machines/service-worker.ts',
      'src/outbound/fetch-outbound.ts',
      'src/outbound/request-outbound.ts',
    ])
  })

  it('imports test helpers by their package alias only', () => {
    for (const file of allFiles.filter((name) => !name.startsWith('test/support/')))
      assert.doesNotMatch(read(file), /(?:from|import\()\s*'[^']*test\/support\//, file)
  })

  it('states a reason for each dependency, and for no other package', () => {
    const installed = ['package.json', 'sdk/package.json', 'test/clients/package.json'].flatMap(
      (file) => {
        // as: the format that npm reads
        const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
          read(file),
        ) as Partial<Record<'dependencies' | 'optionalDependencies' | 'devDependencies', object>>
        return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
      },
    )
    const record = read('docs/decisions/0001-packaging.md')
    const [, reasons = ''] = record.split(/^## Dependencies$/m)
    const named = [...reasons.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
    assert.deepEqual(named.toSorted(), [...new Set(installed)].toSorted())
  })
})

/** Schemas and their examples have separate names, so an exported name must be unique. */
describe('an exported name', () => {
  const EXPORT =
    /^export (?:async |abstract )?(?:function\*?|const|class|type|let|interface) ([A-Za-z_]\w*)/gm

  it('is exported by one file only', () => {
    const homes = new Map<string, Set<string>>()
    for (const file of allFiles)
      for (const [, name = ''] of read(file).matchAll(EXPORT))
        homes.set(name, (homes.get(name) ?? new Set()).add(file))
    const twice = [...homes].filter(([, where]) => where.size > 1)
    assert.deepEqual(
      twice.map(([name, where]) => `${name}: ${[...where].join(', ')}`),
      [],
    )
  })

  it('is never re-exported', () => {
    const passedOn = allFiles.filter((file) =>
      /^export (type )?(\{|\*)[^;]*from '\./m.test(read(file)),
    )
    assert.deepEqual(passedOn, [])
  })
})

/** References in comments and documents must resolve. */
describe('a reference', async () => {
  const documents = await Array.fromAsync(glob('{*.md,docs/**/*.md,.env.example}', { cwd: ROOT }))
  const own = documents.filter((file) => file !== 'docs/interface.md')
  const migrations = await Array.fromAsync(glob('migrations/*.sql', { cwd: ROOT }))
  const texts = [...own, ...allFiles, ...migrations]
  const records = await Array.fromAsync(glob('docs/decisions/*.md', { cwd: ROOT }))

  it('to a section of the specification names an existing one', () => {
    const sections = new Set(
      [...read('docs/interface.md').matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(
        ([, section]) => section,
      ),
    )
    assert.equal(sections.size, 30)
    for (const file of texts)
      for (const [whole, before, section = ''] of read(file).matchAll(
        /(\S+)? ?§(\d+(?:\.\d+)*)/g,
      )) {
        // Sections of other documents are excluded: `RFC 6749 §5.2`, `OpenID Connect Core §5.4`.
        if (/^\d{4}$|^(Core|Discovery|1\.0)$/.test(before ?? '')) continue
        assert.ok(sections.has(section), `${file} cites ${whole}`)
      }
  })

  it('to a decision names an existing record', () => {
    const numbers = new Set(records.map((file) => file.slice('docs/decisions/'.length).slice(0, 4)))
    for (const file of texts)
      for (const [whole, number = ''] of read(file).matchAll(/decisions? (\d{4})/gi))
        assert.ok(numbers.has(number), `${file} cites ${whole}`)
    const index = read('docs/decisions/README.md')
    for (const file of records.filter((name) => !name.endsWith('README.md')))
      assert.match(
        index,
        new RegExp(file.slice('docs/decisions/'.length)),
        `${file} is not in the index`,
      )
  })

  it('to a file does not occur in migrations, because files move and migrations are never edited', () => {
    for (const file of migrations)
      assert.deepEqual(read(file).match(/\b(?:src|bin|docs|test)\/\S*/g), null, file)
  })

  it('to a file names an existing one', () => {
    const names = new Set([...allFiles, ...texts, ...documents].map((file) => basename(file)))
    for (const file of texts)
      for (const path of pathsIn(file))
        assert.ok(
          path.includes('/')
            ? ['', 'src', 'docs', dirname(file), folderOf(file)].some((base) =>
                existsSync(join(ROOT, base, path)),
              )
            : names.has(path) || existsSync(join(ROOT, path)),
          `${file} names ${path}`,
        )
  })

  it('in the glossary names a word that the code uses, and the glossary is short', () => {
    const [, glossary = ''] = read('docs/architecture.md').split(/^## Glossary$/m)
    const words = [...glossary.matchAll(/^\| ([^|`]+) \|/gm)]
      .map(([, word = '']) => word.trim())
      .slice(1)
    assert.ok(words.length > 10 && words.length <= 25, `${words.length} words`)
    const code = files
      .map(read)
      .join('\n')
      .toLowerCase()
      .replaceAll(/[\s_-]/g, '')
    for (const word of words)
      assert.ok(
        code.includes(word.toLowerCase().replaceAll(/[\s_-]/g, '')),
        `the code does not use ${word}`,
      )
  })

  /**
   * Matches paths in comments and documents that start with one of our folders and end with one of our file extensions.
   */
  function pathsIn(file: string): string[] {
    const text = read(file)
    const prose = file.endsWith('.ts')
      ? [...text.matchAll(/^\s*(?:\/\*\*|\*|\/\/)(.*)$/gm)].map(([, line]) => line).join('\n')
      : text
    return [...prose.matchAll(/(?<![\w/.:@*-])((?:[\w-]+\/)*[\w-]+\.(?:ts|md|sql|mjs))\b/g)]
      .map(([, path = '']) => path)
      .filter((path) => !/^(node_modules|data|DATA_DIR)\//.test(path))
  }
})
