import { importJWK } from 'jose'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import {
  ALL_SCOPES,
  authorizationResponse,
  authorizationRequest,
  basicAuthorization,
  CALLBACK,
  createClient,
  createUser,
  completeFlow,
  postToProvider,
  signedInBrowser,
  fetchUserinfo,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import {
  requestAs,
  codeOf,
  readDiscovery,
  errorOf,
  publishedKeys,
  redeemCode,
  signInAtApp,
  type Authentication,
  type RelyingParty,
} from './relying-party.ts'

const words = (text: string) => text.split(' ')

/** Every scope that a first-party app may hold. */
const FIRST_PARTY = words(
  'openid profile email offline_access catalog:read catalog:sync developer:apps',
)

/** Runs `oidcc-config-certification-test-plan`, and checks that the discovery document lists exactly what works. */
describeOnDatabase('OpenID Connect Config OP', (engine) => {
  let service: TestService
  let user: TestUser
  let browser: PlainBrowser
  let app: TestApp
  let party: RelyingParty
  let parties: Record<Authentication, RelyingParty>
  let metadata: Record<string, unknown>
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
    app = await createClient(service, {
      applicationType: 'native',
      scopes: [...ALL_SCOPES, 'catalog:sync', 'developer:apps'],
    })
    party = { service, app, authentication: 'client_secret_basic' }
    parties = {
      client_secret_basic: party,
      client_secret_post: {
        service,
        app: await createClient(service, { tokenEndpointAuthMethod: 'client_secret_post' }),
        authentication: 'client_secret_post',
      },
      none: {
        service,
        app: await createClient(service, { clientType: 'public' }),
        authentication: 'none',
      },
    }
    metadata = await readDiscovery(service)
  })
  after(() => service.close())

  const send = (parameters: Record<string, string | undefined>) =>
    new PlainBrowser(service.url).get(
      authorizationRequest(app, { scope: 'openid', ...parameters }).path,
    )
  const pathOf = (name: string) => String(metadata[name]).slice(service.url.length)
  // as: the tests fail on anything else
  const list = (name: string) => metadata[name] as string[]
  /** Clients that may use the given methods, and those that may not. */
  const split = (methods: string) => ({
    may: Object.values(parties).filter(({ authentication }) =>
      list(methods).includes(authentication),
    ),
    mayNot: Object.values(parties).filter(
      ({ authentication }) => !list(methods).includes(authentication),
    ),
  })

  it('oidcc-discovery-endpoint-verification: returns a complete document', async () => {
    const issuer = `${service.url}/oidc`
    assert.deepEqual(
      Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.toSorted() : value,
        ]),
      ),
      {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/me`,
        jwks_uri: `${issuer}/jwks`,
        end_session_endpoint: `${issuer}/session/end`,
        revocation_endpoint: `${issuer}/token/revocation`,
        introspection_endpoint: `${issuer}/token/introspection`,
        device_authorization_endpoint: `${issuer}/device/auth`,
        pushed_authorization_request_endpoint: `${issuer}/request`,
        scopes_supported: [...new Set([...FIRST_PARTY, ...ALL_SCOPES])].toSorted(),
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: [
          'authorization_code',
          'client_credentials',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: words('client_secret_basic client_secret_post none'),
        revocation_endpoint_auth_methods_supported: words(
          'client_secret_basic client_secret_post none',
        ),
        introspection_endpoint_auth_methods_supported: words(
          'client_secret_basic client_secret_post',
        ),
        code_challenge_methods_supported: ['S256'],
        claim_types_supported: ['normal'],
        claims_supported: words(
          'amr auth_time email email_verified iss name nickname picture preferred_username sid sub updated_at',
        ),
        claims_parameter_supported: false,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        authorization_response_iss_parameter_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        client_id_metadata_document_supported: true,
        prompt_values_supported: ['consent', 'login', 'none', 'select_account'],
        ui_locales_supported: ['en', 'ja', 'ko', 'zh-Hans', 'zh-Hant'],
      },
    )
  })

  it('oidcc-discovery-endpoint-verification: uses https URLs for the issuer behind https', async () => {
    const behindProxy = await startService({
      engine,
      environment: { AUTH_URL: 'https://id.example' },
      content: 'empty',
    })
    try {
      const discovered = await readDiscovery({ url: `http://127.0.0.1:${behindProxy.config.port}` })
      assert.equal(discovered['issuer'], 'https://id.example/oidc')
      const endpoints = Object.entries(discovered).filter(([name]) => /_endpoint$|_uri$/.test(name))
      assert.equal(endpoints.length, 9)
      for (const [name, url] of endpoints)
        assert.ok(String(url).startsWith('https://id.example/oidc/'), name)
    } finally {
      await behindProxy.close()
    }
  })

  it('oidcc-discovery-endpoint-verification: publishes only public keys, each usable with its algorithm', async () => {
    const { keys } = await publishedKeys(service)
    assert.deepEqual(keys.map(({ alg }) => alg).toSorted(), ['ES256', 'RS256'])
    const members = {
      RSA: ['alg', 'e', 'kid', 'kty', 'n', 'use'],
      EC: ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    }
    for (const key of keys) {
      assert.deepEqual(Object.keys(key).toSorted(), members[key.kty as 'RSA' | 'EC'])
      for (const value of [key.n, key.e, key.x, key.y]) assert.match(value ?? '', /^[\w-]*$/)
      await importJWK(key, key.alg)
    }
    const modulus = keys.find(({ kty }) => kty === 'RSA')?.n ?? ''
    assert.ok(Buffer.from(modulus, 'base64url').length >= 256)
  })

  describe('the discovery document', () => {
    it('lists endpoints that exist', async () => {
      const forms = [
        'token',
        'revocation',
        'introspection',
        'device_authorization',
        'pushed_authorization_request',
      ]
      for (const name of forms) {
        const { status, body } = await postToProvider(String(metadata[`${name}_endpoint`]), {
          client_id: 'nobody',
        })
        assert.deepEqual([status, body['error']], [401, 'invalid_client'], name)
      }
      for (const method of ['GET', 'POST'])
        assert.equal((await fetch(String(metadata['userinfo_endpoint']), { method })).status, 401)
      for (const name of ['authorization_endpoint', 'end_session_endpoint']) {
        const { status, headers } = await new PlainBrowser(service.url).get(String(metadata[name]))
        assert.ok([200, 400].includes(status), name)
        assert.match(headers.get('content-type') ?? '', /^text\/html/, name)
      }
    })

    it('lists scopes that can be granted', async () => {
      const scope = list('scopes_supported').join(' ')
      await signInAtApp(party, browser, user, { scope, prompt: 'consent' })
      for (const one of list('scopes_supported').filter((name) => name !== 'openid'))
        assert.equal(
          errorOf(party, await send({ scope: `openid ${one}`, prompt: 'none' })),
          'login_required',
          one,
        )
      assert.equal(errorOf(party, await send({ scope: 'openid another' })), 'invalid_scope')
    })

    it('lists exactly the claims that the provider returns', async () => {
      await service.db
        .updateTable('accounts')
        .set({ picture: 'https://pictures.example/reader.png' })
        .where('id', '=', user.id)
        .execute()
      await service.db
        .updateTable('apps')
        .set({
          backchannel_logout_uri: 'http://localhost:1/signed-out',
          backchannel_logout_session_required: true,
        })
        .where('client_id', '=', party.app.clientId)
        .execute()
      const parameters = { scope: 'openid profile email', max_age: '10000' }
      const { tokens, claims } = await signInAtApp(party, browser, user, parameters)
      const { body } = await fetchUserinfo(service, tokens.access_token)
      const names = new Set([...Object.keys(claims), ...Object.keys(body)])
      const tokenClaims = ['at_hash', 'aud', 'exp', 'iat', 'nonce']
      assert.deepEqual(
        [...names].toSorted(),
        [...list('claims_supported'), ...tokenClaims].toSorted(),
      )
    })

    it('lists exactly the supported grant types', async () => {
      const expected: Record<string, string> = {
        authorization_code: 'invalid_grant',
        refresh_token: 'invalid_grant',
        client_credentials: 'invalid_scope',
        'urn:ietf:params:oauth:grant-type:device_code': 'invalid_grant',
      }
      const invalid = { code: 'x', refresh_token: 'x', device_code: 'x', scope: 'x' }
      for (const grant_type of list('grant_types_supported')) {
        const { body } = await requestAs(party, {
          grant_type,
          ...invalid,
          redirect_uri: CALLBACK,
          code_verifier: 'x',
        })
        assert.equal(body['error'], expected[grant_type], grant_type)
      }
      for (const grant_type of [
        'password',
        'implicit',
        'urn:ietf:params:oauth:grant-type:token-exchange',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        'urn:openid:params:grant-type:ciba',
      ]) {
        const { status, body } = await requestAs(party, { grant_type, ...invalid })
        assert.deepEqual([status, body['error']], [400, 'unsupported_grant_type'], grant_type)
      }
    })

    it('lists exactly the supported authentication methods of the token endpoint', async () => {
      for (const each of split('token_endpoint_auth_methods_supported').may)
        await signInAtApp(each, browser, user)
      const assertion = {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }
      const form = {
        grant_type: 'client_credentials',
        scope: 'catalog:read',
        client_assertion: 'x.y.z',
      }
      const { status } = await postToProvider(`${service.url}/oidc/token`, {
        ...form,
        ...assertion,
        client_id: app.clientId,
      })
      assert.equal(status, 401)
    })

    it('lists exactly the supported authentication methods of revocation and introspection', async () => {
      const form = { token: 'x' }
      const revocation = split('revocation_endpoint_auth_methods_supported')
      assert.equal(revocation.mayNot.length, 0)
      for (const each of revocation.may)
        assert.equal((await requestAs(each, form, pathOf('revocation_endpoint'))).status, 200)
      const introspection = split('introspection_endpoint_auth_methods_supported')
      for (const each of introspection.may) {
        const { status, body } = await requestAs(each, form, pathOf('introspection_endpoint'))
        assert.deepEqual([status, body], [200, { active: false }])
      }
      for (const each of introspection.mayNot) {
        const { tokens } = await signInAtApp(each, browser, user)
        const { body } = await requestAs(
          each,
          { token: tokens.access_token },
          pathOf('introspection_endpoint'),
        )
        assert.notEqual(body['active'], true)
      }
    })

    it('lists exactly the response types and modes in use', async () => {
      for (const response_mode of list('response_modes_supported'))
        codeOf(
          party,
          await browser.get(authorizationRequest(app, { scope: 'openid', response_mode }).path),
        )
      for (const response_mode of ['fragment', 'form_post', 'jwt', 'query.jwt', 'web_message'])
        assert.doesNotMatch((await send({ response_mode })).location ?? '', /code=/, response_mode)
      for (const response_type of ['token', 'id_token', 'code id_token', 'none'])
        assert.doesNotMatch(
          (await send({ response_type })).location ?? '',
          /(code|token)=/,
          response_type,
        )
    })

    it('lists the one required PKCE method', async () => {
      assert.equal(
        errorOf(party, await send({ code_challenge_method: 'plain' })),
        'invalid_request',
      )
      const without = { code_challenge: undefined, code_challenge_method: undefined }
      assert.equal(errorOf(party, await send(without)), 'invalid_request')
    })

    it('lists exactly the supported prompts', async () => {
      for (const prompt of list('prompt_values_supported')) {
        const visit = await send({ prompt })
        if (prompt === 'none') assert.equal(errorOf(party, visit), 'login_required')
        else assert.deepEqual([visit.status, visit.location], [200, undefined], prompt)
      }
      assert.equal(errorOf(party, await send({ prompt: 'create' })), 'invalid_request')
    })

    it('lists the supported languages', async () => {
      for (const ui_locales of list('ui_locales_supported'))
        assert.match((await send({ ui_locales })).text, new RegExp(`<html lang="${ui_locales}"`))
    })

    it('declares support for pushed authorization requests, but not for request objects', async () => {
      const { path, verifier } = authorizationRequest(app, { scope: 'openid', nonce: 'a nonce' })
      const form = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
      const endpoint = String(metadata['pushed_authorization_request_endpoint'])
      const pushed = await postToProvider(endpoint, form, basicAuthorization(app))
      assert.equal(pushed.status, 201)
      const request = new URLSearchParams({
        client_id: app.clientId,
        request_uri: String(pushed.body['request_uri']),
      })
      const visit = await completeFlow(
        browser,
        await browser.get(`/oidc/auth?${request.toString()}`),
        user,
      )
      await redeemCode(party, { code: codeOf(party, visit), verifier })
      const refused = await postToProvider(
        endpoint,
        { ...form, request: 'x.y.z' },
        basicAuthorization(app),
      )
      assert.equal(refused.body['error'], 'request_not_supported')
    })

    it('declares that errors name the issuer, as code responses do', async () => {
      const response = authorizationResponse(await send({ prompt: 'none' }))
      assert.equal(response.get('iss'), metadata['issuer'])
    })
  })
})
