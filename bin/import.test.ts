import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { filesUnder, pgDumpOf, tarOf, zipOf } from '#test/archives.ts'
import { createDatabase } from '#test/databases.ts'
import { redirectTo, startDumpServer } from '#test/dump-server.ts'
import { SAMPLES, temporaryDumps } from '#test/dumps.ts'
import { operatorOf, setUpOperator } from '#test/operator.ts'
import { startMokuroku } from '#test/program.ts'
import { openDatabase } from '../src/db/database.ts'
import { importSource } from '../src/curation/import-source.ts'
import type { ImportRun } from '../src/curation/runs/list-queries.ts'

const { fileOf, folderOf } = temporaryDumps()

type Summary = {
  kinds: { kind: string; created: number; changed: number; unchanged: number; withdrawn: number }[]
  remarks: { remark: string }[]
}

describe('mokuroku import of a published dump whose tables were already imported', () => {
  const operator = setUpOperator('sample')
  const run = (...args: string[]) => operator.run(['import', ...args])

  const vndb = filesUnder(SAMPLES.vndb)
  for (const [source, form, galgamesOrNovels, make] of [
    ['bangumi', '.zip', 4, () => zipOf(filesUnder(SAMPLES.bangumi))],
    ['ranobedb', '.dump.gz', 76, () => gzipSync(pgDumpOf(filesUnder(SAMPLES.ranobedb)))],
    ['vndb', '.tar.zst', 23, async () => zstdCompressSync(await tarOf(vndb))],
  ] as const)
    it(`changes nothing if the ${source} dump is a ${form} file`, async () => {
      // The sample contains two folders of Bangumi data that the dump lacks.
      const { status, output, errors } = await run(source, fileOf(await make()), '--json', '--part')
      assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      // as: the test compares it below
      const { kinds, remarks } = JSON.parse(output) as Summary
      const main = source === 'ranobedb' ? 'light_novel' : 'galgame'
      assert.equal(kinds.find(({ kind }) => kind === main)?.unchanged, galgamesOrNovels)
      assert.deepEqual(
        kinds.filter(({ created, changed }) => created + changed > 0),
        [],
      )
      const missing = remarks.filter(({ remark }) => /^table \w+ is missing: /.test(remark))
      assert.equal(missing.length, source === 'vndb' ? 8 : 0)
    })

  it('rejects a dump that lacks a table, with a one-line error', async () => {
    const dump = fileOf(await tarOf({ ...vndb, 'db/vn_staff': '' }))
    const { status, output, errors } = await run('vndb', dump)
    assert.deepEqual({ status, output }, { status: 1, output: '' })
    assert.match(
      errors,
      /^[^\n]*vn_staff is empty, which would lose the staff of every galgame[^\n]*\n$/,
    )
  })

  it('changes nothing if the dump is truncated in the middle', async () => {
    const titles = `${String(vndb['db/vn_titles']).replaceAll('CLANNAD', 'Broken')}v4\n`
    const folder = folderOf({ ...vndb, 'db/vn_titles': titles })
    const { status, errors } = await run('vndb', folder)
    assert.equal(status, 1)
    assert.match(errors, /^[^\n]*vn_titles: 1 of \d+ rows cannot be read[^\n]*\n$/)
    const repeated = await run('vndb', SAMPLES.vndb, '--json')
    assert.ok(!/"changed":[1-9]/.test(repeated.output), repeated.output)
    const allowed = await run('vndb', folder, '--max-bad-rows', '1', '--json')
    assert.match(allowed.output, /"kind":"galgame","created":0,"changed":1,/)
    assert.match(allowed.output, /"remark":"unreadable rows; skipped: more or fewer columns/)
  })
})

describe('mokuroku import of a dump that has lost entries', () => {
  const operator = setUpOperator('sample')
  const run = (...args: string[]) => operator.run(['import', ...args])

  const vndb = filesUnder(SAMPLES.vndb)
  const linesOf = (table: string) => String(vndb[`db/${table}`]).split('\n')
  const withoutClannad = folderOf({
    ...vndb,
    'db/vn': linesOf('vn')
      .filter((line) => !line.startsWith('v4\t'))
      .join('\n'),
  })
  const withoutStaff = folderOf({ ...vndb, 'db/vn_staff': `${linesOf('vn_staff')[0]}\n` })

  it('reports the loss in a dry run, then applies it', async () => {
    const result = await run('vndb', withoutClannad, '--dry-run')
    assert.deepEqual([result.status, result.errors], [0, ''])
    assert.match(result.output, /\n1 would be withdrawn:\n {2}galgame v4 CLANNAD\n/)
    assert.match(result.output, /\nNothing was changed\.\n$/)
    const { status, output } = await run('vndb', withoutClannad, '--json')
    assert.equal(status, 0)
    // as: the test compares it below
    const galgames = (JSON.parse(output) as Summary).kinds.find(({ kind }) => kind === 'galgame')
    assert.deepEqual([galgames?.withdrawn, galgames?.unchanged], [1, 22])
  })

  it('refuses an excessive loss with a separate exit status, unless the loss is allowed', async () => {
    const result = await run('vndb', withoutStaff, '--dry-run', '--json')
    assert.equal(result.status, 3)
    assert.match(result.output, /"what":"galgame\.staff".*"refused":true/)
    const { status, output, errors } = await run('vndb', withoutStaff)
    assert.deepEqual([status, output], [3, ''])
    assert.match(
      errors,
      /^Nothing was imported[^\n]*\d+ of \d+ of galgame\.staff[^\n]*--allow-shrink galgame\.staff\n$/,
    )
    const wrong = await run('vndb', withoutStaff, '--allow-shrink', 'staff')
    assert.equal(wrong.status, 2)
    const { status: allowed } = await run('vndb', withoutStaff, '--allow-shrink', 'galgame.staff')
    assert.equal(allowed, 0)
  })

  it('appears in the list of imports with its outcome', async () => {
    const { output } = await run('list', '--json', '--limit=3')
    // as: the test compares it below
    const runs = JSON.parse(output) as ImportRun[]
    assert.deepEqual(
      runs.map(({ state, source }) => [source, state]),
      [
        ['vndb', 'done'],
        ['vndb', 'refused'],
        ['vndb', 'done'],
      ],
    )
    const shown = await run('show', String(runs[1]?.id))
    assert.match(
      shown.output,
      /outcome +refused\n(process.*\n)?error +Nothing was imported, .*galgame\.staff/,
    )
    assert.match((await run('list')).output, /^run +source +dump .*\n\d+ +vndb +folder-\d+ /)
    assert.deepEqual(
      (await run('show', '999')).errors,
      'Import 999 does not exist. See mokuroku import list.\n',
    )
  })

  it('waits for the running import and names it, or exits immediately with --no-wait', async () => {
    const { db, close } = await openDatabase({ ...operator.database(), databasePoolSize: 2 })
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
    const other = importSource(db, 'bangumi', async function* () {
      begin()
      await held
      yield* []
    })
    await hasBegun
    const [refused, waiting] = [
      run('vndb', withoutStaff, '--no-wait'),
      startMokuroku(['import', 'vndb', withoutStaff], { environment: operator.environment() }),
    ]
    const name = `Import \\d+ of bangumi \\(process ${process.pid} on .*\\) is running\\.`
    const { status, errors } = await refused
    assert.equal(status, 4)
    assert.match(errors, new RegExp(`^${name} Nothing was imported[^\\n]*\\n$`))
    await waiting.waitForOutput('is running.')
    assert.match(waiting.errors(), new RegExp(`^Waiting: ${name}\\n`))
    release()
    await other
    assert.equal((await waiting.ended).status, 0)
    await close()
  })
})

it('fetches pictures after an import with --pictures, which only bangumi accepts', async () => {
  const database = await createDatabase('server', 'empty')
  const server = await startDumpServer()
  try {
    const folder = folderOf({
      'subject.jsonlines': [1, 2]
        .map((id) => JSON.stringify({ id, type: 1, platform: 1001, name: '漫' }))
        .join('\n'),
    })
    server.at(
      '/v0/subjects/2/image?type=large',
      redirectTo('https://lain.bgm.tv/pic/cover/l/aa/2_x.jpg'),
    )
    const settings = { BANGUMI_API_URL: server.url, BANGUMI_REQUESTS_PER_MINUTE: '600' }
    const { run, runJson } = operatorOf(
      () => database,
      () => settings,
    )
    const command = ['import', 'bangumi', folder, '--part', '--pictures']
    const { pictures } = await runJson(command)
    assert.deepEqual(pictures, { asked: 2, found: 1, refused: 0 })
    assert.match((await run(command)).output, /\npictures: 0 requested, 0 found\n$/)
    const refused = await run(['import', 'vndb', SAMPLES.vndb, '--pictures'])
    assert.deepEqual(
      [refused.status, refused.errors],
      [2, '--pictures requires the source bangumi and cannot be combined with --dry-run.\n'],
    )
  } finally {
    await server.close()
    await database.remove()
  }
})
