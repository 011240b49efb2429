import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { filesUnder, tarOf } from '#test/archives.ts'
import {
  serveFile,
  redirectTo,
  startDumpServer,
  serveText,
  type DumpServer,
} from '#test/dump-server.ts'
import { SAMPLES } from '#test/dumps.ts'
import { setUpOperator } from '#test/operator.ts'
import { prepareMail } from '../src/accounts/mail/prepare-mail.ts'
import { setRole } from '../src/accounts/role-queries.ts'
import { openDatabase } from '../src/db/database.ts'

describe('mokuroku update', () => {
  let server: DumpServer
  before(async () => (server = await startDumpServer()))
  after(() => server.close())

  const operator = setUpOperator('sample', () => ({
    VNDB_DUMP_URL: `${server.url}/latest`,
    RANOBEDB_DUMP_URL: `${server.url}/nothing`,
  }))
  const run = (...args: string[]) => operator.run(['update', ...args])
  const folder = () => join(operator.database().dataDir, 'dumps')

  it('fetches and imports the newest dump once, even if another source fails', async () => {
    const dump = zstdCompressSync(await tarOf(filesUnder(SAMPLES.vndb)))
    server.at('/latest', redirectTo('/vndb-db-2026-11-18.tar.zst'))
    server.at('/vndb-db-2026-11-18.tar.zst', serveFile(dump, '"one"'))
    const first = await run('ranobedb', 'vndb')
    assert.equal(first.status, 1)
    assert.equal(
      first.errors,
      `ranobedb: ${server.url}/nothing returned status 404: the file does not exist.\n`,
    )
    assert.match(
      first.output,
      /^ranobedb: failed\nvndb: imported\nkind +created .*\n[^]*galgame +0 +0 +0 +23 /,
    )
    assert.ok(existsSync(join(folder(), 'vndb-db-2026-11-18.tar.zst')))
    const { status, output } = await run('vndb', '--json')
    assert.deepEqual([status, JSON.parse(output)], [0, [{ source: 'vndb', outcome: 'up to date' }]])
    // Simulates an import by an earlier version.
    await operator.query(`update import_runs set mapping_version = 1 where source = 'vndb'`)
    assert.match((await run('vndb')).output, /^vndb: imported\n/)
    const runs = await operator.run(['import', 'list', '--limit', '1'])
    assert.match(runs.output, /vndb +vndb-db-2026-11-18\.tar\.zst +2026-11-18 .* done\n$/)
  })

  it('imports the stored dump again once a release date in it has passed', async () => {
    const upToDate = 'vndb: up to date\n'
    assert.equal((await run('vndb')).output, upToDate)
    await operator.query(
      `update import_checksums set until = current_date + 1 where source = 'vndb'`,
    )
    assert.equal((await run('vndb')).output, upToDate)
    await operator.query(`update import_checksums set until = current_date where source = 'vndb'`)
    server.requests.length = 0
    assert.match((await run('vndb')).output, /^vndb: imported\n/)
    assert.ok(
      server.requests.includes('304 /vndb-db-2026-11-18.tar.zst'),
      server.requests.join('; '),
    )
    assert.equal((await run('vndb')).output, upToDate)
  })

  it('does not store a file that is not a dump', async () => {
    server.at('/latest', serveText('We are sorry.'))
    const { status, errors } = await run('vndb')
    assert.equal(status, 1)
    assert.match(errors, /^vndb: .*latest is neither an archive nor a known dump\.[^\n]*\n$/)
    assert.deepEqual(readdirSync(folder()), ['vndb.json'])
  })

  it('records a failed import when a download fails or does not contain a dump, except in a dry run', async () => {
    await run('ranobedb')
    await run('vndb', '--dry-run')
    type Run = { source: string; state: string; error: string }
    const runs = await operator.runJson<Run[]>(['import', 'list', '--limit', '2'])
    assert.deepEqual(
      runs.map(({ source, state }) => [source, state]),
      [
        ['ranobedb', 'failed'],
        ['vndb', 'failed'],
      ],
    )
    assert.match(runs[0]?.error ?? '', /returned status 404/)
    assert.match(runs[1]?.error ?? '', /neither an archive nor a known dump/)
  })

  it('reports an import as refused if it would remove too much', async () => {
    const files = filesUnder(SAMPLES.vndb)
    const novels = String(files['db/vn']).split('\n').slice(0, 3)
    const dump = zstdCompressSync(await tarOf({ ...files, 'db/vn': `${novels.join('\n')}\n` }))
    server.at('/latest', serveFile(dump, '"less"'))
    const { status, output } = await run('vndb')
    assert.deepEqual([status, output], [3, 'vndb: refused\n'])
    const result = await run('vndb', '--dry-run')
    assert.equal(result.status, 3)
    assert.match(result.output, /^vndb: dry run\n/)
  })

  it('notifies the administrators once of repeated failures, until an update succeeds or ends in another way', async () => {
    const { db, close } = await openDatabase(operator.database())
    const mails = async () =>
      (
        await db
          .selectFrom('mails')
          .select(['email', 'details'])
          .where('kind', '=', 'update_failed')
          .orderBy('id')
          .execute()
      ).map(({ email, details }) => `${email} ${String(details['source'])}`)
    try {
      const add = (email: string) => addAccount(db, { email, name: 'A', password: 'correct horse' })
      await setRole(db, await add('admin@example.org'), 'ADMIN')
      await setRole(db, await add('moderator@example.org'), 'MODERATOR')
      await sql`delete from import_runs where source = 'ranobedb'`.execute(db)
      await run('ranobedb', '--dry-run')
      assert.deepEqual(await mails(), [])
      await run('ranobedb')
      await run('ranobedb')
      assert.deepEqual(await mails(), ['admin@example.org ranobedb'])
      await sql`update import_runs set outcome = 'done' where source = 'ranobedb'`.execute(db)
      await run('ranobedb')
      assert.deepEqual(await mails(), ['admin@example.org ranobedb', 'admin@example.org ranobedb'])
      const [row] = await db
        .selectFrom('mails')
        .selectAll()
        .where('kind', '=', 'update_failed')
        .execute()
      assert.ok(row)
      const mail = await prepareMail(db, 'https://a.example', row)
      assert.match(mail?.text ?? '', /Source: ranobedb\n[^]*Error: .* returned status 404/)
      assert.match(mail?.text ?? '', /https:\/\/a\.example\/desk\/imports\/\d+/)
    } finally {
      await close()
    }
  })
})
