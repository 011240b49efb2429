import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createReader, signedInBrowser } from '#test/authorization.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { spawnService, type ServiceProcess } from '#test/process.ts'
import { askAt, signIn, type SignedInReader } from '#test/reader.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'
import { first, sampleWorks } from '#test/works.ts'
import { setRole } from '../accounts/role-queries.ts'
import { queryRows } from '../db/query.ts'
import { saveRating } from '../ratings/own/queries.ts'
import { createReport } from './report-queries.ts'

describe('two processes on one database', () => {
  let database: TestDatabase
  let service: TestService
  let other: ServiceProcess
  let game: number
  before(async () => {
    database = await createDatabase('server', 'sample')
    service = await startService({ database, environment: { USER_REQUESTS_PER_MINUTE: '1000000' } })
    other = await spawnService({
      DATABASE_URL: database.databaseUrl,
      DATA_DIR: database.dataDir,
      AUTH_URL: service.url,
      USER_REQUESTS_PER_MINUTE: '1000000',
    })
    game = first((await sampleWorks(service.db)).galgame)
  })
  after(async () => {
    await other?.stop()
    await service.close()
    await database.remove()
  })

  async function review(): Promise<number> {
    const { id: accountId } = await createReader(service)
    const key = { accountId, kind: 'galgame', workId: game } as const
    const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
    assert.ok(id)
    return id
  }
  const urls = () => [service.url, other.url]
  const report = ({ token }: SignedInReader, url: string, id: number) =>
    askAt(url, {
      token,
      method: 'POST',
      path: '/v3/user/me/reports',
      body: { kind: 'REVIEW', id, reason: 'SPAM' },
    })

  it('take five reports an hour of one reader together, and one of the same thing', async () => {
    const reader = await signIn(service)
    const reviews = await Promise.all(Array.from({ length: 10 }, review))
    const answers = await Promise.all(
      reviews.map(async (id, index) => (await report(reader, urls()[index % 2] ?? '', id)).status),
    )
    assert.deepEqual(answers.toSorted(), [...Array<number>(5).fill(201), ...Array<number>(5).fill(429)])

    const another = await signIn(service)
    const same = await Promise.all(
      Array.from({ length: 6 }, (_, index) => report(another, urls()[index % 2] ?? '', reviews[0] ?? 0)),
    )
    assert.deepEqual(same.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 201])
  })

  it('do not wait for each other’s work on a report: it is held by one statement', async () => {
    const { reader } = await signIn(service)
    const named = { kind: 'REVIEW', id: await review() } as const
    const sent = await statementsOf(() =>
      createReport(service.db, reader.id, { named, reason: 'SPAM', note: '' }),
    )
    const holding = sent.filter(({ sql }) => /for (no key )?update|^begin|keep_report/i.test(sql.trim()))
    assert.deepEqual(
      holding.map(({ sql }) => /keep_report/.test(sql)),
      [true],
    )
  })

  it('hide a thing once, and restore it once, when two moderators do so at the same moment', async () => {
    const id = await review()
    const reporter = await signIn(service)
    const { data } = await report(reporter, service.url, id)
    const moderators = await Promise.all(
      urls().map(async (url) => {
        const account = await createReader(service)
        await setRole(service.db, account.id, 'MODERATOR')
        return { url, browser: await signedInBrowser(service, account) }
      }),
    )
    /** Both send their form at once, each to a process of its own. */
    const both = async (place: string, act: string) => {
      const forms = await Promise.all(
        moderators.map(async ({ url, browser }) => {
          const { forms: all } = await browser.get(place)
          const form = all.find(({ action }) => action.endsWith(`/${act}`))
          assert.ok(form, act)
          return () => browser.post(url + form.action, { ...form.fields, reason: 'SPAM', note: 'At once.' })
        }),
      )
      return Promise.all(forms.map((send) => send()))
    }
    const events = async (kind: string) =>
      (
        await queryRows(
          service.db,
          `select id from audit_events where kind = $1 and details ->> 'subject' = $2`,
          [kind, String(id)],
        )
      ).length
    const hidden = await both(`/desk/reports/${data.id}`, 'hide')
    assert.ok(
      hidden.every(({ status }) => status < 400),
      hidden.map(({ status }) => status).join(),
    )
    assert.equal(await events('content_hidden'), 1)
    const [takedown] = await queryRows<{ id: number }>(
      service.db,
      `select id from takedowns where kind = 'REVIEW' and subject = $1`,
      [String(id)],
    )
    const restored = await both(`/desk/hidden/${takedown?.id}`, 'restore')
    assert.ok(
      restored.every(({ status }) => status < 400),
      restored.map(({ status }) => status).join(),
    )
    assert.equal(await events('content_restored'), 1)
  })
})
