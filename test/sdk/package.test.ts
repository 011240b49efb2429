import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import { readDocument } from '#test/openapi.ts'
import { CHECKOUT } from '#test/program.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import * as sdk from '../../sdk/index.js'
import { generateSdk } from '../../sdk/generate.ts'
import { readAssets, type Assets } from '../../src/ui/assets.ts'

const run = promisify(execFile)
const SDK = join(CHECKOUT, 'sdk')
/** Maximum size of the whole package in one minified module, in bytes. */
const MAX_COMPRESSED_BYTES = 6_000

async function bundleOf(contents: string): Promise<Buffer> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: SDK },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  return Buffer.from(outputFiles[0]?.contents ?? [])
}

/** Uses the package as a program does, and states what must not compile. */
const CONSUMER = `import { appTokens, changes, createClient, getGalgame, getGalgames, isMokurokuError, listGalgameStaff, pages, saveGalgameRating, search, type Schemas } from 'mokuroku-sdk'
import { fileLock, fileStore } from 'mokuroku-sdk/node'

const server = 'https://catalog.example.org'
const app = { server, clientId: 'mk_x', clientSecret: 'mks_x', store: fileStore('x'), lock: fileLock('x') }
const client = createClient({ server, token: appTokens(app), signal: AbortSignal.timeout(1) })
const { id, origin_title }: Schemas['Galgame'] = await getGalgame(client, { id: 1 })
const { items } = await search(client, { q: origin_title, page_size: 2 }, { retries: 0 })
const title: string | undefined = items[0]?.title
for await (const { role } of pages(listGalgameStaff, client, { id })) role?.toUpperCase()
for await (const work of pages(getGalgames, client)) work.id.toFixed()
for await (const { epoch, kind } of changes(client, { since: 1 })) if (kind === 'MERGE') epoch.trim()
const { rate } = await saveGalgameRating(client, { id, body: { status: 'COMPLETED', rate: 8.5 } })
try {} catch (error) { if (isMokurokuError(error, 'COMMON_NOT_FOUND')) error.details['merged_into'] }
console.log(title, rate)
// @ts-expect-error The ID is missing.
await getGalgame(client)
// @ts-expect-error There is no such parameter.
await search(client, { query: 'x' })
// @ts-expect-error There is no such status.
await saveGalgameRating(client, { id, body: { status: 'DONE' } })
// @ts-expect-error A detail has no pages.
pages(getGalgame, client, { id: 1 })
`

describe('the client package', () => {
  let assets: Assets
  before(async () => {
    assets = await readAssets()
  })

  it('matches the document; `npm run openapi` updates it', async () => {
    const generated = await generateSdk(readFileSync(join(CHECKOUT, 'openapi.json'), 'utf8'))
    for (const [name, content] of Object.entries(generated))
      assert.ok(readFileSync(join(SDK, name), 'utf8') === content, name)
  })

  it('has no dependencies', () => {
    // as: our own manifest
    const manifest = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as object
    assert.ok(!('dependencies' in manifest || 'peerDependencies' in manifest))
    for (const name of readdirSync(SDK).filter((each) => each.endsWith('.js')))
      for (const [, module = ''] of readFileSync(join(SDK, name), 'utf8').matchAll(
        /^(?:import|export) .*'([^']+)'$/gm,
      ))
        assert.match(module, name === 'node.js' ? /^(?:\.\/|node:)/ : /^\.\//, name)
  })

  it('has a function for every operation', () => {
    const names = new Set(Object.keys(sdk))
    for (const methods of Object.values(readDocument().paths))
      for (const { operationId } of Object.values(methods)) assert.ok(names.has(operationId ?? ''))
  })

  it('is at most 6,000 bytes compressed, and smaller without unused operations', async () => {
    const whole = await bundleOf(`export * from './index.js'`)
    const { length } = brotliCompressSync(whole)
    assert.ok(length <= MAX_COMPRESSED_BYTES, `${length} bytes`)
    const part = await bundleOf(`export { createClient, search } from './index.js'`)
    assert.match(String(part), /open\/search"/)
    assert.doesNotMatch(String(part), /galgames|oidc|device/)
    assert.ok(brotliCompressSync(part).length < MAX_COMPRESSED_BYTES / 2)
  })

  it('is packed without errors, and without files that only the build needs', async () => {
    await run(process.execPath, [join(CHECKOUT, 'node_modules/publint/src/cli.js'), '--strict'], {
      cwd: SDK,
    }).catch((error: { stdout?: string }) => assert.fail(error.stdout))
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: SDK,
    })
    // as: the report of npm
    const [{ files } = { files: [] }] = JSON.parse(stdout) as { files: { path: string }[] }[]
    const names = new Set(files.map(({ path }) => path))
    for (const name of [
      'LICENSE',
      'README.md',
      'index.js',
      'index.d.ts',
      'openapi.d.ts',
      'node.js',
    ])
      assert.ok(names.has(name), name)
    assert.ok(!names.has('generate.ts'))
  })

  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const)
    it(`compiles in a program with the module resolution ${moduleResolution}`, async () => {
      // In the checkout, so that the compiler finds the package.
      const folder = join(
        CHECKOUT,
        'node_modules/.cache',
        scratchFolder('types').replaceAll('/', '-'),
      )
      mkdirSync(folder, { recursive: true })
      try {
        writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
        writeFileSync(join(folder, 'program.ts'), CONSUMER)
        const compilerOptions = {
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          target: 'es2023',
          module,
          moduleResolution,
          lib: ['es2023', 'dom', 'dom.iterable'],
          types: [],
        }
        const config = join(folder, 'tsconfig.json')
        writeFileSync(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
        const compilers = [
          join(CHECKOUT, 'node_modules/typescript/bin/tsc'),
          // The version that most programs still use.
          createRequire(join(SDK, 'package.json')).resolve('typescript/bin/tsc'),
        ]
        for (const compiler of compilers)
          await run(process.execPath, [compiler, '-p', config]).catch(
            (error: { stdout?: string }) => assert.fail(error.stdout?.slice(0, 2_000) ?? compiler),
          )
      } finally {
        removeFolder(folder)
      }
    })

  it('is served in one module with the same functions, and with its types', async () => {
    const text = assets.get('sdk.js')?.bytes.toString() ?? ''
    assert.doesNotMatch(text, /^import |from '\.\//m)
    const url = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
    const served = new Set(Object.keys((await import(url)) as object))
    for (const name of Object.keys(sdk)) assert.ok(served.has(name), name)
    const types = assets.get('sdk.d.ts')?.bytes.toString() ?? ''
    assert.doesNotMatch(types, /from '\.\//)
    for (const name of Object.keys(sdk))
      assert.match(types, new RegExp(`^export (?:const|function|class) ${name}\\b`, 'm'))
  })
})
