import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import {
  authorizationResponse,
  authorizationRequest,
  authorize,
  createClient,
  createUser,
  obtainTokens,
  redeem,
  refresh,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { formWith, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'

describeOnDatabase('the code flow', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await startService({ engine })
    app = await createClient(service)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
    await authorize(service, { app, user, browser })
  })
  after(() => service.close())

  it('runs 3 statements for a code and 3 for its tokens if the user is signed in and has consented', async () => {
    let code = ''
    let verifier = ''
    const tables = /\b(sessions|accounts|grants|oidc_records|consents|apps)\b/
    const sent = async (work: () => Promise<unknown>) =>
      (await statementsOf(work))
        .map((statement) => statement.sql)
        .filter((text) => tables.test(text))
    const first = await sent(async () => {
      ;({ code, verifier } = await authorize(service, { app, user, browser }))
    })
    assert.equal(first.length, 3, first.join('\n'))
    const second = await sent(() => redeem(service, app, code, verifier))
    assert.equal(second.length, 3, second.join('\n'))
  })

  it('runs 6 statements for the request, 25 for sign-in, 19 for consent and 3 for the tokens', async () => {
    const other = await createUser(service)
    const tables =
      /\b(sessions|accounts|grants|oidc_records|consents|apps|known_devices|attempts|audit_events)\b/
    const background = /app_usage|app_endpoint_usage|update mails/
    const fresh = new PlainBrowser(service.url)
    const { path, verifier } = authorizationRequest(app)
    const costs: number[] = []
    const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const done: Result[] = []
      const sent = await statementsOf(async () => void done.push(await work()))
      const own = sent.filter(({ sql: text }) => tables.test(text) && !background.test(text))
      costs.push(own.length)
      const [result] = done
      assert.ok(result)
      return result
    }
    const signIn = await step(() => fresh.get(path))
    const { email, password } = other
    const consent = await step(() =>
      fresh.submit(signIn, { email, password }, formWith(signIn, ['password'])),
    )
    const response = await step(() => fresh.submit(consent, { decision: 'allow' }))
    await step(() =>
      redeem(service, app, authorizationResponse(response).get('code') ?? '', verifier),
    )
    assert.deepEqual(costs, [6, 25, 19, 3])
  })

  it('extends the session at most once a minute, but adds a new app to it immediately', async () => {
    const stored = async () => {
      const [row] = await service.db
        .selectFrom('sessions')
        .select(['payload', 'expires_at'])
        .where('account_id', '=', user.id)
        .execute()
      assert.ok(row)
      return row
    }
    const before = await stored()
    await authorize(service, { app, user, browser })
    assert.deepEqual(await stored(), before)
    await sql`
      update sessions set
        payload = jsonb_set(payload::jsonb, '{exp}', to_jsonb((payload::jsonb ->> 'exp')::integer - 61))::text,
        expires_at = expires_at - interval '61 seconds'`.execute(service.db)
    const earlier = await stored()
    await authorize(service, { app, user, browser })
    assert.ok((await stored()).expires_at.getTime() >= earlier.expires_at.getTime() + 61_000)
    const other = await createClient(service)
    await authorize(service, { app: other, user, browser })
    assert.ok((await stored()).payload.includes(other.clientId))
  })

  it('records the use of an app at most once a minute, for codes and for refresh tokens', async () => {
    const ago = async (interval: string) => {
      await sql`update consents set last_used_at = now() - ${interval}::interval`.execute(
        service.db,
      )
      return lastUse()
    }
    const lastUse = async () =>
      (
        await service.db
          .selectFrom('consents')
          .select('last_used_at')
          .where('account_id', '=', user.id)
          .executeTakeFirstOrThrow()
      ).last_used_at
    let before = await ago('2 minutes')
    const { refresh_token = '' } = await obtainTokens(service, {
      app,
      user,
      browser,
      scope: 'openid offline_access',
      prompt: 'consent',
    })
    assert.ok((await lastUse()) > before)
    before = await ago('2 minutes')
    const { body } = await refresh(service, app, refresh_token)
    assert.ok((await lastUse()) > before)
    before = await ago('30 seconds')
    await refresh(service, app, String(body['refresh_token']))
    assert.deepEqual(await lastUse(), before)
  })
})
