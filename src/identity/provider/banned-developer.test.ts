import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationResponse,
  sendTokenRequest,
  authorizationRequest,
  createClient,
  createUser,
  obtainTokens,
  refresh,
  signedInBrowser,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { banAtDesk } from '../../moderation/desk-action-queries.ts'

describeOnDatabase('an app of a banned developer', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  const ban = (id: number, disablesApps: boolean) =>
    banAtDesk(
      service.db,
      id,
      { origin: {}, reason: 'a test', contact: 'desk@example.org' },
      { disablesApps },
    )

  it('gets no new grants, keeps existing ones, and stops working when the ban disables it', async () => {
    const [developer, ended, user, newcomer] = await Promise.all(
      [1, 2, 3, 4].map(() => createUser(service)),
    )
    assert.ok(developer && ended && user && newcomer)
    const scope = 'openid offline_access'
    const app = await createClient(service, { accountId: developer.id })
    const disabled = await createClient(service, { accountId: ended.id })
    const browser = await signedInBrowser(service, user)
    const { refresh_token } = await obtainTokens(service, {
      app,
      user,
      browser,
      scope,
      prompt: 'consent',
    })
    await ban(developer.id, false)
    await ban(ended.id, true)

    const { path } = authorizationRequest(app, { scope })
    const refused = authorizationResponse(
      await (await signedInBrowser(service, newcomer)).get(path),
    )
    assert.equal(refused.get('error'), 'access_denied')
    assert.equal((await refresh(service, app, String(refresh_token))).status, 200)
    const credentials = { grant_type: 'client_credentials', scope: 'catalog:read' }
    assert.equal((await sendTokenRequest(service, app, credentials)).status, 200)
    assert.equal(
      (await sendTokenRequest(service, disabled, credentials)).body['error'],
      'invalid_client',
    )
  })

  it('gets no grant from a consent page opened before the ban', async () => {
    const [developer, user] = await Promise.all([1, 2].map(() => createUser(service)))
    assert.ok(developer && user)
    const app = await createClient(service, { accountId: developer.id })
    const browser = await signedInBrowser(service, user)
    const { path } = authorizationRequest(app, { scope: 'openid' })
    const page = await browser.get(path)
    await ban(developer.id, false)
    const refused = authorizationResponse(await browser.submit(page, { decision: 'allow' }))
    assert.equal(refused.get('error'), 'access_denied')
    assert.equal(refused.get('code'), null)
    const consents = await service.db
      .selectFrom('consents')
      .where('account_id', '=', user.id)
      .select('client_id')
      .execute()
    assert.deepEqual(consents, [])
  })
})
