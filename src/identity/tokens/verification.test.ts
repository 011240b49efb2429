import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeProtectedHeader, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { createDatabase, describeOnDatabase } from '#test/databases.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { AppStatusCache } from '../../apps/app-status-cache.ts'
import { listSigningKeys, rotateSigningKeys } from './keys.ts'
import { RevocationList } from './revocation-list.ts'
import { TokenVerifier } from './verify-token.ts'

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

describeOnDatabase('access tokens', (engine) => {
  let service: TestService
  let app: TestApp
  before(async () => {
    service = await shareService(engine)
    app = await service.createApp({ scopes: ['catalog:full'] })
  })
  after(() => service.close())

  const detail = (token: string) => service.get('/api/v3/open/people/1', token)
  // The documented limit is one second. Allow for a busy machine.
  const withinASecond = (condition: () => Promise<boolean>) =>
    eventually(condition, 'the change', 10_000)

  /** Signs claims with the service's own key. The defaults are those of a valid token. */
  async function signToken(claims: JWTPayload = {}, header: Record<string, string> = {}) {
    const key = (await listSigningKeys(service.db, undefined)).find(({ alg }) => alg === 'ES256')
    assert.ok(key)
    const now = Math.floor(Date.now() / 1000)
    const payload = {
      iss: `${service.url}/oidc`,
      aud: `${service.url}/open`,
      sub: app.clientId,
      client_id: app.clientId,
      scope: 'catalog:full',
      jti: 'x',
      iat: now,
      exp: now + 60,
      ...claims,
    }
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
      .sign(await importJWK(key.privateJwk, 'ES256'))
  }

  describe('verification', () => {
    it('returns 401 AUTH_UNAUTHENTICATED and a challenge without a token', async () => {
      for (const authorization of [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        basic(app.clientId, app.secret),
        'Token abc',
        'Bearer\tabc',
      ]) {
        const response = await fetch(`${service.url}/api/v3/open/people/1`, {
          headers: authorization === undefined ? {} : { authorization },
        })
        assert.equal(response.status, 401, String(authorization))
        assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="mokuroku"')
        assert.match(await response.text(), /"code":"AUTH_UNAUTHENTICATED"/)
      }
    })

    it('ignores the case of the authorization scheme', async () => {
      const token = await service.token()
      const response = await fetch(`${service.url}/api/v3/open/people/1`, {
        headers: { authorization: `bearer ${token}` },
      })
      assert.equal(response.status, 200)
    })

    it('returns 403 without a catalog scope, and names the required scope', async () => {
      const token = await signToken({ scope: 'status:read' })
      const response = await detail(token)
      assert.equal(response.status, 403)
      assert.match(
        response.headers.get('www-authenticate') ?? '',
        /error="insufficient_scope".*scope="catalog:read"/,
      )
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      assert.equal(error.code, 'AUTH_FORBIDDEN')
      assert.match(error.message, /catalog:read/)
    })

    it('rejects a cached token once it expires', async () => {
      const token = await signToken({ exp: Math.floor(Date.now() / 1000) + 5, jti: 'short' })
      assert.equal((await detail(token)).status, 200)
      await withinASecond(async () => (await detail(token)).status === 401)
    })

    it('does not cache a token whose key is withdrawn while its signature is checked', async () => {
      const verifier = new TokenVerifier({
        issuer: `${service.url}/oidc`,
        audiences: { api: `${service.url}/open`, mcp: undefined },
        appStatuses: new AppStatusCache(),
        revocations: new RevocationList(),
        reloadKeys: async () => {},
        clock: Date,
      })
      await verifier.useKeys(await listSigningKeys(service.db, undefined))
      const token = await signToken()
      const first = verifier.verify(token)
      await verifier.useKeys([])
      await first
      await assert.rejects(async () => verifier.verify(token), /token/i)
    })
  })

  describe('key rotation', () => {
    const published = async () => {
      const { keys } = (await (await service.get('/oidc/jwks')).json()) as { keys: JWK[] }
      return keys.map(({ kid }) => kid ?? '')
    }
    const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''
    const untilPublished = (kids: string[]) =>
      withinASecond(async () => {
        const now = await published()
        return kids.every((kid) => now.includes(kid))
      })

    it('publishes new keys before they are used, and keeps live tokens valid', async () => {
      const old = await service.token()
      const { kids, signsFrom } = await rotateSigningKeys(service.db, undefined)
      await untilPublished(kids)
      assert.equal((await published()).length, 4, 'the old keys are published too')
      assert.equal(kidOf(await service.token()), kidOf(old), 'the new key signs too early')
      assert.ok(signsFrom.getTime() > Date.now() + 60_000)
      // Simulates that ten minutes have passed.
      await service.db
        .updateTable('signing_keys')
        .set({ signs_from: new Date() })
        .where('kid', 'in', kids)
        .execute()
      await withinASecond(async () => kids.includes(kidOf(await service.token())))
      assert.equal((await detail(old)).status, 200, 'the old token is refused')
      assert.equal((await detail(await service.token())).status, 200)
    })

    it('switches to the new key on time, without a signal', async () => {
      const { kids } = await rotateSigningKeys(service.db, undefined)
      const soon = new Date(Date.now() + 1_500)
      await service.db
        .updateTable('signing_keys')
        .set({ signs_from: soon })
        .where('kid', 'in', kids)
        .execute()
      await untilPublished(kids)
      assert.ok(!kids.includes(kidOf(await service.token())) || Date.now() >= soon.getTime())
      await withinASecond(async () => kids.includes(kidOf(await service.token())))
      assert.ok(Date.now() >= soon.getTime())
    })

    it('takes effect in a process as soon as it receives a token signed with the new key', async () => {
      const triggers = (verb: 'disable' | 'enable') =>
        sql`alter table signing_keys ${sql.raw(verb)} trigger user`.execute(service.db)
      await triggers('disable')
      const { kids } = await rotateSigningKeys(service.db, undefined, { now: true })
      const unknownTokens = Array.from({ length: 20 }, (_, index) =>
        signToken({}, { kid: `unknown-${1000 + index}` }),
      )
      const refused = await Promise.all(
        unknownTokens.map(async (token) => (await detail(await token)).status),
      )
      assert.deepEqual([...new Set(refused)], [401])
      const token = await signToken()
      assert.ok(kids.includes(kidOf(token)))
      assert.equal((await detail(token)).status, 200)
      await triggers('enable')
    })

    it('is not undone by a slower, earlier rotation', async () => {
      const overtaken = await rotateSigningKeys(service.db, undefined)
      const { kids } = await rotateSigningKeys(service.db, undefined, { now: true })
      await service.db
        .updateTable('signing_keys')
        .set({ signs_from: new Date() })
        .where('kid', 'in', overtaken.kids)
        .execute()
      await untilPublished([...kids, ...overtaken.kids])
      await withinASecond(async () => kids.includes(kidOf(await service.token())))
    })

    it('rejects old tokens if the old keys are withdrawn', async () => {
      const old = await service.token()
      assert.equal((await detail(old)).status, 200)
      const { kids } = await rotateSigningKeys(service.db, undefined, { withdrawOld: true })
      await withinASecond(async () => (await detail(old)).status === 401)
      assert.deepEqual((await published()).toSorted(), kids.toSorted())
      assert.equal((await detail(await service.token())).status, 200)
    })
  })
})

describe('signing keys', () => {
  it('are encrypted in the database if SECRET_KEY is set, and cannot be read without it', async () => {
    const database = await createDatabase('embedded', 'empty')
    const environment = { SECRET_KEY: 'a secret of at least thirty-two characters' }
    const first = await startService({ database, environment })
    const { private_jwk } = await first.db
      .selectFrom('signing_keys')
      .select('private_jwk')
      .executeTakeFirstOrThrow()
    assert.match(private_jwk, /^v1\./)
    const token = await first.token()
    await first.close()
    const repeated = await startService({
      database,
      environment: { ...environment, PORT: String(first.config.port) },
    })
    assert.equal(
      (await repeated.get('/api/v3/open/people/1', token)).status,
      404,
      'the token is good, the catalog empty',
    )
    await repeated.close()
    await assert.rejects(startService({ database }), /SECRET_KEY/)
    await assert.rejects(
      startService({
        database,
        environment: { SECRET_KEY: 'another secret of thirty-two characters!' },
      }),
      /SECRET_KEY/,
    )
    await database.remove()
  })

  it('are created only once when two processes start together', async () => {
    const database = await createDatabase('server', 'nothing')
    const [first, second] = await Promise.all([
      startService({ database }),
      startService({ database }),
    ])
    const keys = await first.db.selectFrom('signing_keys').select('alg').execute()
    assert.deepEqual(keys.map(({ alg }) => alg).toSorted(), ['ES256', 'RS256'])
    await first.close()
    await second.close()
    await database.remove()
  })
})
