import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { filesUnder, pgDumpOf, tarOf, zipOf } from '#test/archives.ts'
import { createDatabase, USUAL_ENGINE, type TestDatabase } from '#test/databases.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { mokuroku } from '#test/program.ts'

const { fileOf, folderOf, remove } = temporaryDumps()
after(remove)

type Summary = {
  kinds: { kind: string; created: number; changed: number; unchanged: number }[]
  remarks: { remark: string }[]
}

describe('import of a dump as it is published, where its tables were imported', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase(USUAL_ENGINE, 'sample')
  })
  after(() => database.remove())

  const run = (...args: string[]) =>
    mokuroku(['import', ...args], {
      environment: { DATABASE_URL: database.databaseUrl, DATA_DIR: database.dataDir },
    })

  const vndb = filesUnder(SAMPLES.vndb)
  for (const [source, form, galgamesOrNovels, make] of [
    ['bangumi', '.zip', 4, () => zipOf(filesUnder(SAMPLES.bangumi))],
    ['ranobedb', '.dump.gz', 76, () => gzipSync(pgDumpOf(filesUnder(SAMPLES.ranobedb)))],
    ['vndb', '.tar.zst', 23, async () => zstdCompressSync(await tarOf(vndb))],
  ] as const)
    it(`changes nothing: ${source}, ${form}`, async () => {
      // The sample has two folders of Bangumi's rows more.
      const { status, output, errors } = await run(source, fileOf(await make()), '--json', '--part')
      assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      // as: compared below
      const { kinds, remarks } = JSON.parse(output) as Summary
      const main = source === 'ranobedb' ? 'light_novel' : 'galgame'
      assert.equal(kinds.find(({ kind }) => kind === main)?.unchanged, galgamesOrNovels)
      assert.deepEqual(
        kinds.filter(({ created, changed }) => created + changed > 0),
        [],
      )
      const missing = remarks.filter(({ remark }) => /^the table \w+ is missing: /.test(remark))
      assert.equal(missing.length, source === 'vndb' ? 6 : 0)
    })

  it('that lacks a table is refused in one line', async () => {
    const dump = fileOf(await tarOf({ ...vndb, 'db/vn_staff': '' }))
    const { status, output, errors } = await run('vndb', dump)
    assert.deepEqual({ status, output }, { status: 1, output: '' })
    assert.match(errors, /^[^\n]*vn_staff is empty, and would lose the staff of every galgame[^\n]*\n$/)
  })

  it('that is broken in the middle changes nothing', async () => {
    const titles = `${String(vndb['db/vn_titles']).replaceAll('CLANNAD', 'Broken')}v4\n`
    const folder = folderOf({ ...vndb, 'db/vn_titles': titles })
    const { status, errors } = await run('vndb', folder)
    assert.equal(status, 1)
    assert.match(errors, /^[^\n]*vn_titles: 1 of \d+ rows cannot be read[^\n]*\n$/)
    const again = await run('vndb', SAMPLES.vndb, '--json')
    assert.ok(!/"changed":[1-9]/.test(again.output), again.output)
    const allowed = await run('vndb', folder, '--max-bad-rows', '1', '--json')
    assert.match(allowed.output, /"kind":"galgame","created":0,"changed":1,/)
    assert.match(
      allowed.output,
      /"remark":"a row that cannot be read is left out: it has more or fewer columns/,
    )
  })
})
