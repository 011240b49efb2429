import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { filesUnder, tarOf, zipOf } from '#test/archives.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { openSource } from '../../curation/sources.ts'
import { findDate } from './dump-facts.ts'

describe('facts about a dump', () => {
  const { dir, folderOf } = temporaryDumps()

  it('include the name, the checksum and the date in TIMESTAMP for an archive', async () => {
    const bytes = zstdCompressSync(
      await tarOf({ TIMESTAMP: '2026-11-17 08:00:03+00\n', ...filesUnder(SAMPLES.vndb) }),
    )
    const path = join(
      folderOf({ 'vndb-db-2026-11-18.tar.zst': bytes }),
      'vndb-db-2026-11-18.tar.zst',
    )
    const opened = await openSource('vndb', path, { allowMissing: 'any' })
    assert.deepEqual(await opened.facts().finally(opened.close), {
      name: 'vndb-db-2026-11-18.tar.zst',
      date: '2026-11-17',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  })

  it('describe the target of a link, whose file name contains the date', async () => {
    mkdirSync(join(dir, 'linked'))
    const file = join(dir, 'dump-2026-08-19.210303Z.zip')
    writeFileSync(file, zipOf(filesUnder(SAMPLES.bangumi)))
    const latest = join(dir, 'linked', 'latest')
    symlinkSync(file, latest)
    const opened = await openSource('bangumi', latest)
    const { name, date } = await opened.facts().finally(opened.close)
    assert.deepEqual([name, date], ['dump-2026-08-19.210303Z.zip', '2026-08-19'])
  })

  it('include only the name for a folder', async () => {
    const opened = await openSource('ranobedb', SAMPLES.ranobedb)
    assert.deepEqual(await opened.facts().finally(opened.close), {
      name: 'ranobedb',
      date: undefined,
      sha256: undefined,
    })
  })

  for (const [text, day] of [
    ['rndb-db-public-20260820.dump.gz', '2026-08-20'],
    ['vndb-db-latest.tar.zst', undefined],
    ['2026-13-01 and 2026-02-30', undefined],
    ['120261118', undefined],
    ['of 2026-02-30 or 2026-03-01', '2026-03-01'],
  ] as const)
    it(`include ${day ?? 'no date'} if the name is "${text}"`, () =>
      assert.equal(findDate(text), day))
})
