import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { describeSchema } from '../../build/describe-schema.ts'
import { describeStatements } from '../../build/describe-statements.ts'
import { clusterOf } from '../../src/db/embedded/cluster.ts'
import { startEngine } from '../../src/db/embedded/embedded-engine.ts'
import { queryText } from '../../src/db/query.ts'
import { loadSample } from '../../src/sample.ts'
import { readMigrations } from '../../src/db/upkeep/migrate.ts'
import { catalogStatus, refresh } from '#test/authorization.ts'
import { csrfTokenOf, PlainBrowser } from '#test/browser.ts'
import { createDatabase, describeOnEachDatabase, type TestDatabase } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { freePort } from '#test/free-port.ts'
import { runCommand } from '#test/run-command.ts'
import { startService, type TestService } from '#test/service.ts'
import { fixtureFile, readReleased, type Fixture } from './fixture.ts'
import {
  CHANGED_ROWS,
  createReleasedDatabase,
  findDropped,
  readLatestFixture,
  releasedVersions,
  settingsOf,
  sumReleased,
} from './released-database.ts'

/** Columns that a migration drops on purpose, with the reason. */
const DROPPED_COLUMNS: Record<string, string> = {}

/** Pages that everyone can see. */
const PAGES = [
  '/',
  '/galgames',
  '/light-novels',
  '/mangas',
  '/tags',
  '/search?q=a',
  '/guide',
  '/docs',
]

for (const version of releasedVersions())
  describeOnEachDatabase(`an upgrade from ${version}`, (engine) => {
    let fixture: Fixture
    let database: TestDatabase
    let released: Record<string, unknown>
    before(async () => {
      fixture = await readReleased(fixtureFile(version))
      database = await createReleasedDatabase(engine, fixture)
      released = await sumReleased(database, fixture)
    })
    after(() => database.remove())

    it('backs up the embedded database, and then runs the migrations since that version', async () => {
      const known = new Set(fixture.migrations.map(({ name }) => name))
      const pending = (await readMigrations()).flatMap(({ name }) => (known.has(name) ? [] : name))
      const environment = settingsOf(database, fixture)
      const { status, output, errors } = await runCommand(['migrate', '--json'], { environment })
      assert.equal(status, 0, errors)
      assert.deepEqual(JSON.parse(output), { ran: pending })
      if (engine === 'embedded' && pending.length > 0)
        assert.match(readdirSync(join(database.dataDir, 'backups')).join(), /-before-/)
    })

    it('keeps all rows', async () => {
      const sums = await sumReleased(database, fixture)
      const dropped = await findDropped(database, fixture)
      assert.deepEqual(
        dropped.filter((column) => !(column in DROPPED_COLUMNS)),
        [],
      )
      const changed = Object.keys(released).filter(
        (name) => JSON.stringify(released[name]) !== JSON.stringify(sums[name]),
      )
      const affected = new Set([
        ...Object.keys(CHANGED_ROWS),
        ...dropped.flatMap((column) => column.split('.', 1)),
      ])
      assert.deepEqual(
        changed.filter((name) => !affected.has(name)),
        [],
      )
    })

    it('results in the schema of a new database', async () => {
      const fresh = await createDatabase(engine, 'empty')
      try {
        assert.equal(
          await withTestDatabase(database, describeSchema),
          await withTestDatabase(fresh, describeSchema),
        )
      } finally {
        await fresh.remove()
      }
    })

    describe('with a service', () => {
      let service: TestService
      before(async () => {
        // The issuer and the audience of the tokens stay, but the service listens elsewhere.
        const port = String(await freePort())
        const environment = {
          ...settingsOf(database, fixture),
          PORT: port,
          BASE_URL: `http://127.0.0.1:${port}`,
        }
        service = await startService({ engine, database, environment })
      })
      after(() => service.close())

      it('accepts the access token, the refresh token and the client secret of an app', async () => {
        const { access_token, refresh_token, app, rated } = fixture.access
        const clientApp = { clientId: app.client_id, secret: app.secret }
        const rating = await service.get(`/v3/user/me/rates/${rated.path}`, access_token)
        assert.equal(rating.status, 200)
        assert.ok((await rating.text()).includes(rated.review))
        const refreshed = await refresh(service, clientApp, refresh_token)
        assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
        // as: §5.4
        const token = refreshed.body['access_token'] as string
        assert.equal((await service.get('/v3/user/me', token)).status, 200)
        // as: §5.5
        const { access_token: appToken } = (await (
          await service.requestToken(clientApp)
        ).json()) as { access_token: string }
        assert.equal(await catalogStatus(service, appToken), '200')
        for (const path of ['galgames?page_size=3', 'search?q=a', 'catalog/changes?limit=3']) {
          const response = await service.get(`/api/v3/open/${path}`, appToken)
          const text = await response.text()
          assert.ok(response.status === 403 || /"id" ?: ?\d/.test(text), `${path}: ${text}`)
        }
      })

      it('keeps users signed in, and lets them sign in with their password', async () => {
        const { auth_url, cookies, user } = fixture.access
        const signedIn = new PlainBrowser(service.url)
        for (const [name, value] of Object.entries(cookies)) signedIn.setCookie(name, value)
        assert.match((await signedIn.get('/account')).text, /Nagisa/)
        const stranger = new PlainBrowser(service.url)
        const _csrf = csrfTokenOf(await stranger.get('/sign-in'))
        const { status, headers } = await fetch(`${service.url}/sign-in`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin: auth_url, cookie: stranger.cookieHeader() },
          body: new URLSearchParams({ _csrf, ...user }),
        })
        assert.deepEqual([status, headers.get('location')], [303, '/account'])
      })

      for (const page of PAGES)
        it(`responds to ${page}`, async () => {
          assert.equal((await service.get(page, undefined, { accept: 'text/html' })).status, 200)
        })

      it('shows the rated work with its review', async () => {
        const { path, review } = fixture.access.rated
        const response = await service.get(`/${path}`, undefined, { accept: 'text/html' })
        assert.equal(response.status, 200)
        assert.ok((await response.text()).includes(review))
      })

      it('fills the scores of the sources with the next import, and ranks lists by them', async () => {
        const ranked = async () =>
          (
            await queryText<{ works: number; voted: number }>(
              service.db,
              `select count(*) filter (where weighted_score > 0)::integer as works,
                 count(*) filter (where source_votes > 0)::integer as voted
               from listings where kind = 'galgame'`,
              [],
            )
          )[0]
        assert.equal((await ranked())?.voted, 0)
        await loadSample(service.db)
        const { works = 0, voted = 0 } = (await ranked()) ?? {}
        assert.ok(works > 10 && voted > 10, `${works} works are ranked, ${voted} have votes`)
      })

      it('logs no error', () => {
        assert.deepEqual(
          service.logged.filter(({ level }) => Number(level) >= 50 || level === 'error'),
          [],
        )
      })
    })
  })

describe('a process of the latest release, after this version has migrated the database', () => {
  let fixture: Fixture
  let database: TestDatabase
  before(async () => {
    fixture = await readLatestFixture()
    database = await createReleasedDatabase('embedded', fixture)
  })
  after(() => database.remove())

  const describeAll = async () => {
    const engine = await startEngine(clusterOf(database.dataDir))
    return describeStatements(engine, fixture.statements).finally(() => engine.close())
  }

  it('can still run its statements, with the same types', async () => {
    const released = await describeAll()
    assert.ok(released.length > 400)
    const environment = settingsOf(database, fixture)
    const { status, errors } = await runCommand(['migrate'], { environment })
    assert.equal(status, 0, errors)
    assert.deepEqual(await describeAll(), released)
  })

  it('can insert rows without the new columns, which are nullable or have a default', async () => {
    const columns = fixture.tables.flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column}`),
    )
    const required = await withTestDatabase(database, (db) =>
      queryText<{ name: string }>(
        db,
        `select table_name || '.' || column_name as name from information_schema.columns
         where table_schema = 'public' and is_nullable = 'NO' and column_default is null
           and is_identity = 'NO' and is_generated = 'NEVER'
           and table_name = any ($1::text[]) and table_name || '.' || column_name <> all ($2::text[])`,
        [fixture.tables.map(({ name }) => name), columns],
      ),
    )
    assert.deepEqual(required, [])
  })
})
