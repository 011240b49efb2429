import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { filesUnder, pgDumpOf, tarOf, zipOf } from '#test/archives.ts'
import { readDump, SAMPLES, temporaryDumps, readAll } from '#test/dumps.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { DumpError } from './dump-error.ts'
import { openSource } from '../../curation/sources.ts'
import type { SourceName } from '../registry.ts'

const silent = { note: () => {} }
const { dir, fileOf, folderOf } = temporaryDumps()

const bangumi = filesUnder(SAMPLES.bangumi)
const vndb = filesUnder(SAMPLES.vndb)
const ZIP = zipOf(bangumi)
const PG_DUMP = pgDumpOf(filesUnder(SAMPLES.ranobedb))

/** Reads a dump, which must be rejected with a one-line error. */
async function refusalOf(source: SourceName, path: string): Promise<string> {
  try {
    await readAll(await openSource(source, path), silent)
  } catch (error) {
    assert.ok(error instanceof DumpError, String(error))
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }
  return assert.fail(`${path} was read`)
}

const half = (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2)

describe('a truncated or damaged dump', () => {
  it('in zip format is rejected', async () => {
    assert.match(
      await refusalOf('bangumi', fileOf(half(ZIP))),
      /file is damaged or truncated \(.*\)\. Download it again\.$/,
    )
  })

  it('in zip format is rejected if a checksum does not match', async () => {
    const wrong = zipOf(bangumi)
    // Offset of the first member's checksum in the index at the end of the file.
    const at = wrong.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02])) + 16
    wrong[at] = (wrong[at] ?? 0) ^ 4
    const entries = Object.keys(bangumi)
    assert.equal(entries[0], '_images.jsonlines')
    assert.match(
      await refusalOf('bangumi', fileOf(wrong)),
      /\/_images\.jsonlines is damaged or truncated \(its checksum does not match\)/,
    )
  })

  it('in tar format is rejected, whether compressed or not', async () => {
    const tar = await tarOf(vndb)
    for (const bytes of [
      half(tar),
      half(zstdCompressSync(tar)),
      half(gzipSync(tar)),
      tar.subarray(0, -1024),
    ])
      assert.match(await refusalOf('vndb', fileOf(bytes)), /is damaged or truncated/)
  })

  it('in pg_dump format is rejected, whether compressed or not', async () => {
    assert.match(
      await refusalOf('ranobedb', fileOf(half(gzipSync(PG_DUMP)))),
      /is damaged or truncated/,
    )
    for (const text of [PG_DUMP.slice(0, PG_DUMP.length / 2), PG_DUMP.slice(0, -30)])
      assert.match(
        await refusalOf('ranobedb', fileOf(text)),
        /is truncated: it lacks the end of a pg_dump/,
      )
  })

  it('is rejected if it consists of only the first bytes of an archive', async () => {
    for (const start of [
      'PK\x03\x04',
      'PK\x03\x04 and more',
      '\x1f\x8b',
      '\x1f\x8b\x08 and more',
      '\x28\xb5\x2f\xfd',
    ])
      await refusalOf('vndb', fileOf(Buffer.from(start, 'latin1')))
  })
})

describe('a malicious dump', () => {
  it('is rejected if its archive expands endlessly', async () => {
    const bomb = Buffer.alloc(64 * 2 ** 20)
    const messages = [
      await refusalOf('vndb', fileOf(zstdCompressSync(bomb))),
      await refusalOf('vndb', fileOf(zstdCompressSync(await tarOf({ ...vndb, bomb })))),
      await refusalOf('ranobedb', fileOf(gzipSync(`${PG_DUMP}${'\n'.repeat(bomb.length)}`))),
      await refusalOf(
        'bangumi',
        fileOf(zipOf({ ...bangumi, 'person.jsonlines': `{"id":1}${'\n'.repeat(bomb.length)}` })),
      ),
    ]
    assert.match(messages[0] ?? '', /is neither an archive nor a known dump/)
    for (const message of messages.slice(1))
      assert.match(message, /expands to more than 200 times its size/)
  })

  it('is rejected if a row would exhaust memory', async () => {
    const long = 'x'.repeat(50 * 2 ** 20)
    assert.match(
      await refusalOf(
        'bangumi',
        folderOf({ ...bangumi, 'person.jsonlines': `{}\n{"a":"${long}"}\n` }),
      ),
      /person\.jsonlines:2: a row is longer than 16 MB$/,
    )
  })

  for (const member of ['../../escaped', '/tmp/escaped', 'C:/escaped', 'db/../../escaped'])
    it(`is rejected if it contains the member ${member}, and nothing is written to disk`, async () => {
      const tar = fileOf(await tarOf({ ...vndb, [member]: 'x' }))
      assert.match(
        await refusalOf('vndb', tar),
        /has a member ".*escaped" that leads outside of the archive\.$/,
      )
      const zip = fileOf(zipOf({ ...bangumi, [member]: 'x' }))
      assert.match(
        await refusalOf('bangumi', zip),
        /damaged or truncated \((?:invalid relative|absolute) path|leads outside/,
      )
      assert.deepEqual(
        [existsSync(join(dir, 'escaped')), existsSync('/tmp/escaped')],
        [false, false],
      )
    })

  it('is rejected if it contains a link in place of a table', async () => {
    const rest = Object.fromEntries(Object.entries(vndb).filter(([name]) => name !== 'db/vn_staff'))
    for (const type of ['symlink', 'link'] as const) {
      const link = { header: { name: 'db/vn_staff', size: 0, type, linkname: '/etc/passwd' } }
      assert.match(
        await refusalOf('vndb', fileOf(await tarOf(rest, [link]))),
        /vn_staff is missing/,
      )
    }
    const attributes = 0o120777 << 16
    const entries = Object.entries(bangumi).map(([name, body]) => ({ name, body }))
    const linked = entries.map((entry) =>
      entry.name === 'person.jsonlines' ? { ...entry, body: '/etc/passwd', attributes } : entry,
    )
    assert.match(await refusalOf('bangumi', fileOf(zipOf(linked))), /person is missing/)
  })

  it('is rejected if it contains a member twice', async () => {
    const twice = Object.entries(bangumi).map(([name, body]) => ({ name, body }))
    const [first] = twice
    assert.ok(first)
    assert.match(
      await refusalOf('bangumi', fileOf(zipOf([...twice, first]))),
      /has the member \S+ twice\.$/,
    )
    const tar = await tarOf({ ...vndb, './db/vn': 'x' })
    assert.match(await refusalOf('vndb', fileOf(tar)), /has the member db\/vn twice\.$/)
    const copy = pgDumpOf({ 'tag.tsv': 'id\tname\n1\tx\n' })
    assert.match(
      await refusalOf('ranobedb', fileOf(`${PG_DUMP}\n${copy}`)),
      /the table tag occurs twice\.$/,
    )
  })

  it('is rejected if its zip is encrypted or uses an unsupported method', async () => {
    const entries = Object.entries(bangumi).map(([name, body]) => ({ name, body }))
    const encrypted = zipOf(entries.map((entry) => ({ ...entry, flags: 0x801 })))
    assert.match(await refusalOf('bangumi', fileOf(encrypted)), /is encrypted/)
    const other = zipOf(entries.map((entry) => ({ ...entry, method: 14 })))
    assert.match(
      await refusalOf('bangumi', fileOf(other)),
      /uses an unsupported compression method \(14\)/,
    )
  })

  it('is rejected if it contains a folder in place of a table', async () => {
    const folder = folderOf(
      Object.fromEntries(Object.entries(vndb).filter(([name]) => name !== 'db/vn_staff')),
    )
    mkdirSync(join(folder, 'db/vn_staff'))
    symlinkSync('/nowhere', join(folder, 'db/broken'))
    assert.match(await refusalOf('vndb', folder), /vn_staff is missing/)
  })
})

describe('a dump with some wrong bytes', () => {
  it('is either read or rejected with a one-line error, and never makes the reader hang', async () => {
    const random = seedRandom('dumps with wrong bytes')
    const forms: [SourceName, Uint8Array][] = [
      ['bangumi', ZIP],
      ['vndb', await tarOf(vndb)],
      ['vndb', zstdCompressSync(await tarOf(vndb))],
      ['ranobedb', gzipSync(PG_DUMP)],
      ['ranobedb', Buffer.from(PG_DUMP)],
    ]
    let refused = 0
    for (const [source, whole] of forms)
      for (let turn = 0; turn < 12; turn += 1) {
        const bytes = Buffer.from(whole)
        for (let flips = random.below(4); flips >= 0; flips -= 1) {
          const at = random.below(random.chance(0.5) ? bytes.length : 600)
          bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
        }
        const cut = random.chance(0.3) ? random.below(bytes.length) : bytes.length
        const path = fileOf(bytes.subarray(0, cut))
        await readDump(source, path, silent).catch((error: unknown) => {
          assert.ok(error instanceof DumpError, String(error))
          assert.doesNotMatch(error.message, /\n/)
          refused += 1
        })
      }
    assert.ok(refused > 0)
    assert.deepEqual(
      readdirSync(dir).filter((name) => !name.startsWith('folder-')),
      [],
    )
  })
})
