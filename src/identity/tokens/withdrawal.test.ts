import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import {
  authorizationRequest,
  authorize,
  basicAuthorization,
  catalogStatus,
  completeFlow,
  createClient,
  createUser,
  fetchUserinfo,
  obtainTokens,
  postToProvider,
  redeem,
  refresh,
  signedInBrowser,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import {
  createDatabase,
  skipEmbedded,
  describeOnEachDatabase,
  type TestDatabase,
} from '#test/databases.ts'
import { spawnAnother, type ServiceProcess } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { withdrawConsents } from '../provider/storage/consent-queries.ts'
import { recordAdapter } from '../provider/storage/records.ts'

const OFFLINE = { scope: 'openid offline_access catalog:read', prompt: 'consent' }

describeOnEachDatabase('a revoked token', (engine) => {
  let service: TestService
  let database: TestDatabase
  /** With a database server, a second process must also learn of every revocation. */
  let other: ServiceProcess | undefined
  before(async () => {
    database = await createDatabase(engine, 'sample')
    service = await startService({ database })
    if (engine === 'server')
      other = await spawnAnother(database, service, {
        CATALOG_REQUESTS_PER_MINUTE: '100000',
        FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
      })
  })
  after(async () => {
    await other?.stop()
    await service.close()
    await database.remove()
  })

  it(
    'can be tested on two processes with one public URL, because each process logs its own URL',
    { skip: skipEmbedded(engine) },
    async () => {
      assert.ok(other)
      const { url, output } = other
      await eventually(async () => output().includes('"msg":"Listening"'))
      assert.ok(output().includes(`mokuroku listens on ${service.url} (${url})\n`), output())
      // as: pino writes one JSON object per line
      const line = JSON.parse(
        output()
          .split('\n')
          .find((each) => each.includes('"msg":"Listening"')) ?? '{}',
      ) as Record<string, unknown>
      assert.deepEqual([line['address'], line['listening']], [service.url, [url]])
    },
  )

  /** Returns each process's response to the token, or a single response if all agree. */
  async function statusesOf(token: string) {
    const urls = [service.url, ...(other ? [other.url] : [])]
    const responses = await Promise.all(urls.map((url) => catalogStatus({ url }, token)))
    return [...new Set(responses)].join(', ')
  }
  const waitForResponse = (token: string, expected: string) =>
    eventually(async () => (await statusesOf(token)) === expected, `${expected} everywhere`)
  const REJECTED = '401 AUTH_TOKEN_INVALID'

  /** Creates a user with consent for an app, and tokens of both kinds. */
  async function allowed(client?: Awaited<ReturnType<typeof createClient>>) {
    const app = client ?? (await createClient(service))
    const user = await createUser(service)
    const browser = await signedInBrowser(service, user)
    const tokens = await obtainTokens(service, { app, user, browser, ...OFFLINE })
    const opaque = await obtainTokens(service, { app, user, browser, scope: 'openid profile' })
    assert.equal(await statusesOf(tokens.access_token), '200')
    const { access_token: jwt, refresh_token = '' } = tokens
    return { app, user, browser, jwt, opaque: opaque.access_token, refreshToken: refresh_token }
  }
  type Allowed = Awaited<ReturnType<typeof allowed>>
  const refreshError = async ({ app, refreshToken }: Allowed) => {
    const { status, body } = await refresh(service, app, refreshToken)
    return status === 200 ? '200' : `${status} ${String(body['error'])}`
  }
  const userinfoStatus = async (token: string) => (await fetchUserinfo(service, token)).status
  const assertStillWorks = async (grant: Allowed) => {
    assert.equal(await statusesOf(grant.jwt), '200')
    assert.equal(await userinfoStatus(grant.opaque), 200)
    assert.equal(await refreshError(grant), '200')
  }

  it('is rejected after the user withdraws consent, and the app must ask for consent again', async () => {
    const grant = await allowed()
    const sameApp = await allowed(grant.app)
    const { code, verifier } = await authorize(service, { ...grant, scope: 'openid' })
    assert.ok(await withdrawConsents(service.db, grant.user.id, {}, grant.app.clientId))
    await waitForResponse(grant.jwt, REJECTED)
    assert.equal(await userinfoStatus(grant.opaque), 401)
    assert.equal(await userinfoStatus(grant.jwt), 401)
    assert.equal(await refreshError(grant), '400 invalid_grant')
    assert.equal((await redeem(service, grant.app, code, verifier)).body['error'], 'invalid_grant')
    const repeated = await grant.browser.get(
      authorizationRequest(grant.app, { scope: 'openid' }).path,
    )
    assert.ok(repeated.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
    assert.ok((await completeFlow(grant.browser, repeated, grant.user)).location)
    assert.equal(await statusesOf(grant.jwt), REJECTED, 'and what was withdrawn stays so')
    await assertStillWorks(sameApp)
  })

  it('is rejected by every process when only the token is revoked', async () => {
    const { app, jwt } = await allowed()
    await postToProvider(
      `${service.url}/oidc/token/revocation`,
      { token: jwt },
      basicAuthorization(app),
    )
    await waitForResponse(jwt, REJECTED)
  })

  /** Creates a token and deletes its grant. */
  async function withdrawGrant() {
    const { app, jwt, refreshToken } = await allowed()
    await postToProvider(
      `${service.url}/oidc/token/revocation`,
      { token: refreshToken },
      basicAuthorization(app),
    )
    await waitForResponse(jwt, REJECTED)
    return jwt
  }

  it('is rejected by every process when its grant is revoked', async () => {
    await withdrawGrant()
  })

  it(
    'is rejected by a process that starts after the revocation of its grant',
    { skip: skipEmbedded(engine) },
    async () => {
      const jwt = await withdrawGrant()
      const later = await startService({ database, environment: { AUTH_URL: service.url } })
      const { status } = await fetch(`http://127.0.0.1:${later.config.port}/api/v3/open/people/1`, {
        headers: { authorization: `Bearer ${jwt}` },
      })
      await later.close()
      assert.equal(status, 401)
    },
  )

  it(
    'is rejected by other processes as soon as they are notified, long before they poll',
    { skip: skipEmbedded(engine) },
    async () => {
      assert.ok(other)
      const { url } = other
      const isRejected = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` }
        const response = await fetch(`${url}/api/v3/open/people/1`, { headers })
        await response.arrayBuffer()
        return response.status === 401
      }
      /** Returns the milliseconds until the other process rejects a token. */
      async function measure(isNotified: boolean) {
        const token = await service.token()
        assert.equal(await isRejected(token), false)
        const { jti } = decodeJwt(token)
        await service.db.transaction().execute(async (trx) => {
          if (!isNotified)
            await sql`alter table change_signals disable trigger notify_change`.execute(trx)
          await trx
            .insertInto('withdrawals')
            .values({ kind: 'token', subject: jti ?? '' })
            .execute()
          if (!isNotified)
            await sql`alter table change_signals enable trigger notify_change`.execute(trx)
        })
        const committed = performance.now()
        while (!(await isRejected(token)));
        return performance.now() - committed
      }
      const times = { notified: [] as number[], polled: [] as number[] }
      // Alternates the two measurements, because each wake-up restarts the poll interval.
      for (let round = 0; round < 5; round += 1) {
        times.notified.push(await measure(true))
        times.polled.push(await measure(false))
      }
      assert.ok(Math.min(...times.notified) < Math.min(...times.polled) / 2, JSON.stringify(times))
    },
  )

  it('is rejected with 403 USER_BANNED while its account is banned', async () => {
    const grant = await allowed()
    const bystander = await allowed(grant.app)
    const { code, verifier } = await authorize(service, { ...grant, scope: 'openid' })
    const open = await grant.browser.get(
      authorizationRequest(grant.app, { prompt: 'consent' }).path,
    )
    await banAccount(service.db, grant.user.id, 'spam')
    await waitForResponse(grant.jwt, '403 USER_BANNED')
    assert.ok([401, 403].includes(await userinfoStatus(grant.opaque)))
    assert.equal(await userinfoStatus(grant.jwt), 403)
    assert.equal(await refreshError(grant), '400 invalid_grant')
    assert.equal((await redeem(service, grant.app, code, verifier)).body['error'], 'invalid_grant')
    const late = await grant.browser.submit(open, { decision: 'allow' })
    assert.equal(late.location, undefined)
    const page = await grant.browser.get(authorizationRequest(grant.app).path)
    const refused = await grant.browser.submit(page, {
      email: grant.user.email,
      password: grant.user.password,
    })
    assert.deepEqual([refused.status, refused.location], [403, undefined])
    const none = await grant.browser.get(authorizationRequest(grant.app, { prompt: 'none' }).path)
    assert.match(none.location ?? '', /error=login_required/)
    await assertStillWorks(bystander)

    await unbanAccount(service.db, grant.user.id)
    await waitForResponse(grant.jwt, '200')
    assert.equal(await refreshError(grant), '200')
    const back = new PlainBrowser(service.url)
    const visit = await completeFlow(
      back,
      await back.get(authorizationRequest(grant.app).path),
      grant.user,
    )
    assert.match(visit.location ?? '', /code=/)
  })

  it('is rejected once its account is deleted', async () => {
    const grant = await allowed()
    await deleteAccount(service.db, grant.user.id)
    await waitForResponse(grant.jwt, REJECTED)
    assert.equal(await userinfoStatus(grant.opaque), 401)
    assert.equal(await refreshError(grant), '400 invalid_grant')
    const visit = await grant.browser.get(authorizationRequest(grant.app).path)
    assert.ok(visit.forms.some(({ fields }) => 'password' in fields))
  })

  it('is rejected while its app is disabled', async () => {
    const grant = await allowed()
    const setEnabled = (enabled: boolean) =>
      service.db
        .updateTable('apps')
        .set({ enabled })
        .where('client_id', '=', grant.app.clientId)
        .execute()
    await setEnabled(false)
    await waitForResponse(grant.jwt, REJECTED)
    await eventually(async () => (await userinfoStatus(grant.opaque)) === 401)
    assert.equal(await refreshError(grant), '401 invalid_client')
    assert.equal((await grant.browser.get(authorizationRequest(grant.app).path)).status, 400)
    await setEnabled(true)
    await waitForResponse(grant.jwt, '200')
    await eventually(async () => (await userinfoStatus(grant.opaque)) === 200)
    await assertStillWorks(grant)
  })

  it('is rejected once its app is deleted, and so are application tokens', async () => {
    const grant = await allowed()
    const response = await service.requestToken(grant.app, 'catalog:read')
    // as: a token response as defined in §5.5
    const { access_token } = (await response.json()) as { access_token: string }
    assert.equal(await statusesOf(access_token), '200')
    const open = await grant.browser.get(
      authorizationRequest(grant.app, { prompt: 'consent' }).path,
    )
    await service.db.deleteFrom('apps').where('client_id', '=', grant.app.clientId).execute()
    await waitForResponse(grant.jwt, REJECTED)
    await waitForResponse(access_token, REJECTED)
    assert.equal(await userinfoStatus(grant.opaque), 401)
    assert.equal(await refreshError(grant), '401 invalid_client')
    const late = await grant.browser.submit(open, { decision: 'allow' })
    assert.deepEqual([late.status, late.location], [400, undefined])
  })

  it('stays revoked if it is stored after its grant was revoked', async () => {
    const tokens = recordAdapter(service.db, 'RefreshToken')
    const { clientId } = await service.createApp()
    await tokens.upsert('a token', { grantId: 'withdrawn', clientId }, 60)
    assert.equal(await tokens.find('a token'), undefined)
  })

  it('never causes a server error, however the requests interleave', () => {
    assert.deepEqual(
      service.logged.filter(({ level }) => Number(level) >= 50),
      [],
    )
  })
})
