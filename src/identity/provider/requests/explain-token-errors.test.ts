import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import {
  sendTokenRequest,
  authorize,
  CALLBACK,
  createClient,
  createUser,
  postToProvider,
  redeem,
  refresh,
  signedInBrowser,
  type ProviderResponse,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const UNEXPLAINED = 'client authentication failed'

describeOnDatabase('an error of the token endpoint', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  const errorOf = ({ body }: ProviderResponse) => [body['error'], body['error_description']]
  const credentials = { grant_type: 'client_credentials', scope: 'catalog:read' }
  const byPost = ({ clientId, secret }: TestApp) =>
    postToProvider(`${service.url}/oidc/token`, {
      ...credentials,
      client_id: clientId,
      client_secret: secret,
    })

  it('says that the app is disabled or used the wrong method only if the secret is correct', async () => {
    const app = await createClient(service)
    const wrong = { ...app, secret: (await createClient(service)).secret }
    const method =
      'The app is registered for client_secret_basic, and the request used client_secret_post.'
    assert.deepEqual(errorOf(await byPost(app)), ['invalid_client', method])
    assert.deepEqual(errorOf(await byPost(wrong)), ['invalid_client', UNEXPLAINED])
    await service.db
      .updateTable('apps')
      .set({ enabled: false })
      .where('client_id', '=', app.clientId)
      .execute()
    for (const send of [
      byPost,
      (known: TestApp) => sendTokenRequest(service, known, credentials),
    ]) {
      assert.deepEqual(errorOf(await send(app)), ['invalid_client', 'The app is disabled.'])
      assert.deepEqual(errorOf(await send(wrong)), ['invalid_client', UNEXPLAINED])
    }
  })

  it('explains to an app why its code or refresh token was rejected', async () => {
    const [app, other] = [await createClient(service), await createClient(service)]
    const user = await createUser(service)
    const browser = await signedInBrowser(service, user)
    const request = { app, user, browser, scope: 'openid offline_access', prompt: 'consent' }
    const codeOf = () => authorize(service, request)
    const reasonOf = (response: ProviderResponse) => {
      const [error, reason] = errorOf(response)
      assert.equal(error, 'invalid_grant')
      return String(reason)
    }

    const { code, verifier } = await codeOf()
    assert.match(reasonOf(await redeem(service, other, code, verifier)), /client mismatch/)
    assert.match(
      reasonOf(await redeem(service, app, code, verifier, `${CALLBACK}/other`)),
      /redirect_uri mismatch/,
    )
    for (const wrong of ['v'.repeat(43), ''])
      assert.match(reasonOf(await redeem(service, app, code, wrong)), /code_verifier/)
    const { body } = await redeem(service, app, code, verifier)
    assert.match(reasonOf(await redeem(service, app, code, verifier)), /already consumed/)
    assert.match(
      reasonOf(await refresh(service, app, String(body['refresh_token']))),
      /refresh token not found/,
    )
    assert.match(reasonOf(await refresh(service, app, 'x'.repeat(43))), /refresh token not found/)

    const late = await codeOf()
    await sql`update oidc_records set expires_at = now() - interval '1 second' where client_id = ${app.clientId}`.execute(
      service.db,
    )
    assert.match(reasonOf(await redeem(service, app, late.code, late.verifier)), /expired/)
    assert.match(reasonOf(await redeem(service, other, late.code, late.verifier)), /code not found/)
  })
})
