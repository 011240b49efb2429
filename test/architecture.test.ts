import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Who may import whom: arrows point down only, and within a line nobody imports a neighbour (docs/architecture.md). */
const LINES = [
  ['bin', 'bench'],
  ['src'],
  ['src/identity', 'src/importers', 'src/ratings', 'src/collections'],
  ['src/catalog', 'src/apps', 'src/accounts', 'src/operations'],
  ['src/pages'],
  ['src/http', 'src/db'],
]

/** Libraries that belong to one part of the house. */
const LIBRARIES: Record<string, RegExp> = {
  kysely:
    /^src\/(db\/|importers\/|.*queries\.ts$|.*fragments\.ts$|identity\/keys\.ts$|operations\/health\.ts$|demo\.ts$|describe-api\.ts$)/,
  'oidc-provider': /^src\/identity\//,
  fastify:
    /^src\/(app|server)\.ts$|^src\/(http|accounts|catalog|apps|identity|operations|pages|ratings|collections)\//,
  '@fastify/cookie': /^src\/pages\//,
  nodemailer: /^src\/accounts\/mail\//,
  '@simplewebauthn/server': /^src\/accounts\//,
  otpauth: /^src\/accounts\//,
  pg: /^src\/db\//,
  '@electric-sql/pglite': /^src\/db\//,
  ioredis: /^src\/http\/redis-throttle\.ts$/,
  commander: /^bin\//,
}

type Import = { file: string; target: string }

const roomOf = (file: string) =>
  LINES.flat()
    .filter((room) => file.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0] ?? ''
const lineOf = (room: string) => LINES.findIndex((line) => line.includes(room))

async function readImports(): Promise<{ files: string[]; imports: Import[] }> {
  const files = (await Array.fromAsync(glob('{src,bin}/**/*.ts', { cwd: ROOT }))).filter(
    (file) => !/\.test\.ts$|\/testing(\.ts|\/)/.test(file),
  )
  const imports = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, target = '']) => ({
      file,
      target: target.startsWith('./') ? relative(ROOT, join(ROOT, dirname(file), target)) : target,
    }))
  })
  return { files, imports }
}

describe('the house', async () => {
  const { files, imports } = await readImports()

  it('is all seen', () => {
    assert.ok(files.length > 90, `only ${files.length} files`)
    assert.ok(imports.length > 300, `only ${imports.length} imports`)
  })

  it('has imports that point down only', () => {
    for (const { file, target } of imports) {
      if (!/^(src|bin)\//.test(target)) continue
      const [from, to] = [roomOf(file), roomOf(target)]
      assert.ok(from === to || lineOf(from) < lineOf(to), `${file} imports ${target}`)
    }
  })

  it('keeps each library in its room', () => {
    for (const { file, target } of imports) {
      const allowed = LIBRARIES[target]
      assert.ok(!allowed || allowed.test(file), `${file} imports ${target}`)
    }
  })

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => /process\.env/.test(readFileSync(join(ROOT, file), 'utf8')))
    assert.deepEqual(
      readers.filter((file) => file.startsWith('src/')),
      ['src/config/config.ts'],
    )
  })
})
