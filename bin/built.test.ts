import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { eventually } from '#test/browser.ts'
import { createDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { startMokuroku, temporaryFolder } from '#test/program.ts'
import { startTraceCollector } from '#test/trace-collector.ts'
import { imageFile, unpackCluster } from '../src/db/embedded/cluster.ts'
import { EXTERNAL } from '../build/bundle.ts'
import { BUILT, isBuilt, ROOT } from './built.ts'

describe('the built program', () => {
  it('loads completely without type stripping', () => {
    const program = pathToFileURL(join(BUILT, 'run.js')).href
    const script = `import(${JSON.stringify(program)}).then(({ run }) => run(['openapi']))`
    const document = execFileSync(process.execPath, ['--no-strip-types', '-e', script], {
      encoding: 'utf8',
      maxBuffer: 2 ** 25,
      env: { PATH: process.env['PATH'] },
    })
    assert.match(document, /"openapi": "3\.1\.0"/)
  })

  it('bundles every package except the external ones, which are its only dependencies', () => {
    // as: the manifest has dependencies
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    assert.deepEqual(Object.keys(dependencies).toSorted(), EXTERNAL.toSorted())
  })

  it('uses only the default export of CommonJS packages that are loaded on demand, because bundles have no named exports', async () => {
    const named: string[] = []
    for await (const file of glob('{bin,src}/**/*.ts', {
      cwd: ROOT,
      exclude: (name) => name.endsWith('.test.ts'),
    }))
      for (const [whole, name = '', access] of readFileSync(join(ROOT, file), 'utf8').matchAll(
        /(?<!typeof )import\('([@a-z][^':]*)'\)(\)\.default\b)?/g,
      )) {
        // as: a package.json may have a type
        const { type, module } = JSON.parse(
          readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
        ) as { type?: string; module?: string }
        if (type !== 'module' && module === undefined && access === undefined)
          named.push(`${file}: ${whole}`)
      }
    assert.deepEqual(named, [])
  })

  it('sends traces to a collector', async () => {
    const collector = await startTraceCollector()
    const database = await createDatabase('embedded', 'empty')
    const ownPort = await freePort()
    const service = startMokuroku(['serve', '--no-demo'], {
      environment: {
        DATA_DIR: database.dataDir,
        HOST: '127.0.0.1',
        PORT: String(ownPort),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
    })
    try {
      await service.waitForOutput('Listening')
      await fetch(`http://127.0.0.1:${ownPort}/health/live`)
      await eventually(
        async () => collector.paths.has('/v1/traces application/x-protobuf'),
        'A span',
      )
      assert.doesNotMatch(service.errors(), /does not accept traces/)
    } finally {
      await service.end('SIGTERM')
      collector.close()
      await database.remove()
    }
  })

  it('contains an empty cluster for the current PGlite version, which is unpacked at the first startup', async () => {
    const { path: folder, remove } = temporaryFolder()
    await unpackCluster(imageFile('empty'), folder)
    assert.ok(existsSync(join(folder, 'PG_VERSION')))
    // PostgreSQL rejects folders that other users can access, and needs the empty folders.
    assert.ok(existsSync(join(folder, 'pg_notify')))
    remove()
  })

  it('is used until a source file or a package is newer than the build', () => {
    const { path: root, remove } = temporaryFolder()
    const write = (path: string, second: number) => {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), '')
      utimesSync(join(root, path), second, second)
    }
    for (const path of ['bin/run.ts', 'src/db/query.ts', 'sdk/client.js', 'package-lock.json'])
      write(path, 1_000)
    assert.equal(isBuilt(root), false)
    write('dist/built', 2_000)
    assert.equal(isBuilt(root), true)
    for (const path of ['src/db/query.ts', 'bin/run.ts', 'sdk/client.js', 'package-lock.json']) {
      write(path, 3_000)
      assert.equal(isBuilt(root), false, path)
      write(path, 1_000)
      assert.equal(isBuilt(root), true, path)
    }
    write('src/db/query.test.ts', 3_000)
    assert.equal(isBuilt(root), true)
    remove()
  })
})
