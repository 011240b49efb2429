import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import {
  authorizationRequest,
  createClient,
  createUser,
  obtainTokens,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

describeOnDatabase('lifetimes', (engine) => {
  let service: TestService
  let user: TestUser
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
    app = await createClient(service)
  })
  after(() => service.close())

  /** Returns the seconds until a row expires. */
  async function assertRemaining(
    table: string,
    condition: ReturnType<typeof sql>,
    seconds: number,
  ) {
    const { rows } = await sql<{ left: number }>`
      select extract(epoch from expires_at - now())::float as left
      from ${sql.table(table)} where ${condition} order by expires_at desc limit 1`.execute(
      service.db,
    )
    const left = rows[0]?.left ?? 0
    // Allow for the time that the test itself takes.
    assert.ok(left <= seconds + 1 && left > seconds - 5 * MINUTE, `${left} of ${seconds} seconds`)
  }

  it('are an hour for an unfinished sign-in', async () => {
    const { path } = authorizationRequest(app)
    await new PlainBrowser(service.url).get(path)
    await assertRemaining('oidc_records', sql`model = 'Interaction'`, HOUR)
  })

  it('are 14 days for a session, 30 for a refresh token and 180 for a consent', async () => {
    await obtainTokens(service, { app, user, scope: 'openid offline_access', prompt: 'consent' })
    await assertRemaining('sessions', sql`account_id = ${user.id}`, 14 * DAY)
    await assertRemaining('oidc_records', sql`model = 'RefreshToken'`, 30 * DAY)
    await assertRemaining('grants', sql`account_id = ${user.id}`, 180 * DAY)
  })
})
