import assert from 'node:assert/strict'
import { open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type Members, filesUnder, pgDumpOf, tarOf, zip64Of, zipOf } from '#test/archives.ts'
import { readDump, SAMPLES, temporaryDumps, readAll } from '#test/dumps.ts'
import { openSource } from '../../curation/sources.ts'
import { readBytes } from './archive/bytes.ts'
import { openTar } from './archive/tar.ts'
import type { SourceName } from '../registry.ts'

const silent = { note: () => {} }
const { dir, fileOf, folderOf } = temporaryDumps()

const within = (folder: string, members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, body]) => [`${folder}/${name}`, body]))

const inOrder = (members: Members, reversed: boolean): Members =>
  Object.fromEntries(
    Object.entries(members).toSorted(
      ([one], [other]) => (one < other ? -1 : 1) * (reversed ? -1 : 1),
    ),
  )

const bangumi = filesUnder(SAMPLES.bangumi)
const ranobedb = filesUnder(SAMPLES.ranobedb)
const vndb = filesUnder(SAMPLES.vndb)
const PG_DUMP = pgDumpOf(ranobedb)

/** Every packaging of a sample. Each archive is created when its test runs. */
const FORMS: [source: SourceName, form: string, make: () => string | Promise<string>][] = [
  ['bangumi', 'the .zip of a release', () => fileOf(zipOf(bangumi))],
  [
    'bangumi',
    'a .zip with a folder in it',
    () => fileOf(zipOf(within('dump-2026-11-18', bangumi))),
  ],
  [
    'bangumi',
    'a folder that contains the .zip',
    () => folderOf({ 'dump.zip': zipOf(bangumi), README: 'hello' }),
  ],
  ['bangumi', 'a .tar.gz', async () => fileOf(gzipSync(await tarOf(bangumi)))],
  ['vndb', 'the .tar.zst', async () => fileOf(zstdCompressSync(await tarOf(inOrder(vndb, false))))],
  [
    'vndb',
    'a .tar.zst in another order, with ./ before the names',
    async () => fileOf(zstdCompressSync(await tarOf(within('.', inOrder(vndb, true))))),
  ],
  ['vndb', 'a plain .tar', async () => fileOf(await tarOf(vndb))],
  [
    'vndb',
    'a folder that contains the .tar.zst',
    async () => folderOf({ x: zstdCompressSync(await tarOf(vndb)) }),
  ],
  [
    'vndb',
    'a folder of tables beside an archive',
    () => folderOf({ ...vndb, 'notes.zip': zipOf({}) }),
  ],
  ['ranobedb', 'the plain pg_dump', () => fileOf(PG_DUMP)],
  ['ranobedb', 'the pg_dump packed with gzip', () => fileOf(gzipSync(PG_DUMP))],
  ['ranobedb', 'the pg_dump packed with zstd', () => fileOf(zstdCompressSync(PG_DUMP))],
  [
    'ranobedb',
    'a folder that contains the pg_dump',
    () => folderOf({ 'a.dump.gz': gzipSync(PG_DUMP) }),
  ],
  [
    'ranobedb',
    'a pg_dump that passed through Windows',
    () => fileOf(PG_DUMP.replaceAll('\n', '\r\n')),
  ],
]

describe('openSource with a dump as published', () => {
  const records: Partial<Record<SourceName, unknown[]>> = {}
  before(async () => {
    for (const source of ['bangumi', 'ranobedb', 'vndb'] as const)
      records[source] = await readDump(source, SAMPLES[source], silent)
  })

  for (const [source, form, make] of FORMS)
    it(`reads the same records: ${source}, ${form}`, async () => {
      const read = await readDump(source, await make(), silent)
      assert.ok(read.length > 50)
      assert.deepEqual(read, records[source])
    })

  it('allows concurrent and repeated reads', async () => {
    const { records: repeated, close } = await openSource('vndb', fileOf(await tarOf(vndb)))
    const open = { records: repeated, close: async () => {} }
    const both = await Promise.all([readAll(open, silent), readAll(open, silent)])
    assert.deepEqual(both, [records.vndb, records.vndb])
    await close()
  })

  it('reads a table that is larger than the cache', async () => {
    const filler = Array.from(
      { length: 20_000 },
      (_, number) => `x${number}\tja\tt\t\\N\t\\N\n`,
    ).join('')
    const titles = `${filler}${vndb['db/vn_titles']?.toString()}`
    const path = fileOf(zstdCompressSync(await tarOf({ ...vndb, 'db/vn_titles': titles })))
    assert.deepEqual(await readDump('vndb', path, silent), records.vndb)
  })
})

describe('openSource with a zip above 4 GiB', () => {
  it('reads the same records regardless of where the tables are', async () => {
    const read = await readDump('bangumi', SAMPLES.bangumi, silent)
    for (const hole of [0, 5 * 2 ** 30]) {
      const path = fileOf('')
      const file = await open(path, 'w')
      for (const { at, bytes } of zip64Of(bangumi, hole))
        await file.write(bytes, 0, bytes.length, at)
      await file.close()
      const { size, blocks } = await stat(path)
      assert.ok(size >= hole)
      assert.ok(blocks * 512 < 2 ** 22, `${blocks} blocks`)
      assert.deepEqual(await readDump('bangumi', path, silent), read)
      await truncate(path, size - 1)
      await assert.rejects(openSource('bangumi', path), /is damaged or truncated/)
    }
  })
})

describe('openTar', () => {
  it('rereads the tar from the beginning whenever it reads a file that is not cached', async () => {
    const rows = 'v1\tja\n'.repeat(50_000)
    const path = fileOf(
      zstdCompressSync(await tarOf({ first: rows, second: `${rows}end`, third: 'x' })),
    )
    const tar = await openTar(
      path,
      () => readBytes(path, 'zstd'),
      () => false,
    )
    for await (const _ of tar.read('second')) break
    for (const [name, content] of [
      ['second', `${rows}end`],
      ['first', rows],
      ['third', 'x'],
    ] as const)
      assert.equal(Buffer.concat(await Array.fromAsync(tar.read(name))).toString(), content)
  })
})

describe('openSource rejects, with a one-line error that says what was found,', () => {
  const REFUSED: [what: string, source: SourceName, make: () => string | Promise<string>, message: RegExp][] = [
    ['a VNDB archive', 'bangumi', async () => fileOf(await tarOf(vndb)), /is a dump of VNDB, not of Bangumi Archive: mokuroku import vndb \S+$/],
    ['a VNDB folder', 'ranobedb', () => folderOf(vndb), /is a dump of VNDB, not of RanobeDB/],
    ['a pg_dump of RanobeDB', 'vndb', () => fileOf(PG_DUMP), /is a dump of RanobeDB, not of VNDB: mokuroku import ranobedb/],
    ['a zip of Bangumi', 'vndb', () => fileOf(zipOf(bangumi)), /is a dump of Bangumi Archive, not of VNDB/],
    ['a pg_dump of something', 'ranobedb', () => fileOf(pgDumpOf({ 'cats.tsv': 'id\n1\n' })), /is not a dump of RanobeDB: it contains cats\. Give the \.dump\.gz/],
    ['a pg_dump with INSERTs', 'ranobedb', () => fileOf('--\n-- PostgreSQL database dump\n--\nINSERT INTO x;\n-- PostgreSQL database dump complete\n'), /contains no rows in COPY format.*--inserts/],
    ["a pg_dump in PostgreSQL's own format", 'ranobedb', () => fileOf('PGDMP\x01\x0e'), /pg_restore --file/],
    ['a zip of photos', 'bangumi', () => fileOf(zipOf({ 'a.jpg': 'x', 'b.jpg': 'x', 'c.jpg': 'x', 'd.jpg': 'x' })), /it contains a\.jpg, b\.jpg, c\.jpg and 1 more/],
    ['an empty zip', 'bangumi', () => fileOf(zipOf({})), /it contains nothing/],
    ['an empty file', 'vndb', () => fileOf(''), /is an empty file\. Give the \.tar\.zst/],
    ['a file of rows', 'bangumi', () => fileOf('{"id":1}\n'), /is a single JSON file\. Give the folder/],
    ['an xz', 'vndb', () => fileOf(Buffer.from('\xfd7zXZ\0', 'latin1')), /compressed with xz/],
    ['a picture', 'vndb', () => fileOf('\x89PNG'), /is neither an archive nor a known dump/],
    ['an empty folder', 'vndb', () => folderOf({ 'photos/a': 'x' }), /is a folder without files/],
    ['nothing', 'vndb', () => join(dir, 'nowhere'), /nowhere does not exist\.$/],
    ['a device', 'vndb', () => '/dev/null', /is neither a file nor a folder\.$/],
    ['two archives', 'vndb', async () => folderOf({ 'a.tar': await tarOf(vndb), 'b.zip': zipOf(vndb) }), /is a folder that contains a\.tar and b\.zip\. Give one of them\.$/],
    ['tables from two sources', 'vndb', () => folderOf({ ...vndb, ...bangumi }), /contains dumps of VNDB and of Bangumi Archive\./],
  ] // prettier-ignore
  for (const [name, source, make, message] of REFUSED)
    it(name, async () => {
      await assert.rejects(
        Promise.resolve(make()).then((path) => openSource(source, path)),
        (error: Error) => {
          assert.match(error.message, message)
          assert.doesNotMatch(error.message, /\n/)
          return true
        },
      )
    })
})
