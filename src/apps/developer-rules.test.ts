import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { fc } from '#test/arbitrary-text.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createDeveloper, type Developer } from '#test/developer.ts'
import { startService, type TestService } from '#test/service.ts'
import type { DeveloperApp } from './schemas.ts'

const CALLBACK = 'https://example.org/callback'
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const uris = (count: number) => Array.from({ length: count }, (_, index) => `${CALLBACK}/${index}`)

/** Invalid changes to an app without redirect URIs, with the fields in the error. */
const REFUSED: [what: string, body: object | string, fields: string[]][] = [
  ['an empty name', { client_name: '' }, ['client_name']],
  ['a blank name', { client_name: ' \u3000 ' }, ['client_name']],
  ['a name of 65 characters', { client_name: '漢'.repeat(65) }, ['client_name']],
  ['a control character', { client_name: 'a\u0000b' }, ['client_name']],
  ['half a character', { client_name: 'a\ud800b' }, ['client_name']],
  ['a name that turns the text around it', { client_name: '\u202eevil' }, ['client_name']],
  ['a name that begins a line', { client_name: 'a\u2028b' }, ['client_name']],
  ['a name nobody sees', { client_name: '\u200b\u3164\u2800\u00ad' }, ['client_name']],
  ['a home page with an empty user name', { client_uri: 'https://@example.org/' }, ['client_uri']],
  ['a home page with a wildcard', { client_uri: 'https://*.example.org/' }, ['client_uri']],
  ['a name that is a number', { client_name: 5 }, ['client_name']],
  ['a name that is null', { client_name: null }, ['client_name']],
  ['enabled as text', { enabled: 'false' }, ['enabled']],
  ['enabled as a number', { enabled: 0 }, ['enabled']],
  ['http as a home page', { client_uri: 'http://example.org' }, ['client_uri']],
  ['a home page with a fragment', { client_uri: 'https://example.org/#a' }, ['client_uri']],
  ['a home page with a password', { client_uri: 'https://a:b@example.org/' }, ['client_uri']],
  ['no address at all', { client_uri: 'example' }, ['client_uri']],
  ['an empty home page', { client_uri: '' }, ['client_uri']],
  ['a home page without a host of its own', { client_uri: 'https:///example.org' }, ['client_uri']],
  [
    'a home page that turns the text around it',
    { client_uri: 'https://e.org/\u202e' },
    ['client_uri'],
  ],
  ['a logo that is a program', { logo: 'javascript:alert(1)' }, ['logo']],
  ['a logo that is the picture itself', { logo: 'data:image/png;base64,iVBORw0KGgo=' }, ['logo']],
  ['a logo with a password', { logo: 'https://a:b@example.org/a.png' }, ['logo']],
  ['a logo with a control character', { logo: 'https://example.org/\u0000' }, ['logo']],
  ['a logo that turns the text around it', { logo: 'https://example.org/\u2066' }, ['logo']],
  ['a huge logo', { logo: `https://example.org/${'x'.repeat(2_048)}` }, ['logo']],
  ['a logo that is a number', { logo: 1 }, ['logo']],
  ['privacy as a script', { privacy_uri: 'javascript:alert(1)' }, ['privacy_uri']],
  ['privacy in a program', { privacy_uri: 'my-program://privacy' }, ['privacy_uri']],
  ['terms by http', { terms_uri: 'http://example.org/terms' }, ['terms_uri']],
  ['terms that turn the text around them', { terms_uri: 'https://e.org/\u202e' }, ['terms_uri']],
  ['terms with a password', { terms_uri: 'https://a:b@example.org/' }, ['terms_uri']],
  ['no addresses at all', { privacy_uri: '', terms_uri: 1 }, ['privacy_uri', 'terms_uri']],
  ['a picture of another', { logo_hash: 'AAAAAAAAAAAAAAAAAAAAAAAA' }, ['logo_hash']],
  ['six redirect URIs', { redirect_uris: uris(6) }, ['redirect_uris']],
  ['a redirect URI twice', { redirect_uris: [CALLBACK, CALLBACK] }, ['redirect_uris.1']],
  [
    'addresses nobody may be sent to',
    {
      redirect_uris: [
        'javascript:alert(1)',
        'http://example.org',
        CALLBACK,
        `${CALLBACK}#`,
        `${CALLBACK}/*`,
      ],
    },
    ['redirect_uris.0', 'redirect_uris.1', 'redirect_uris.3', 'redirect_uris.4'],
  ],
  [
    'half a character in an address',
    { redirect_uris: [`${CALLBACK}?\ud800`] },
    ['redirect_uris.0'],
  ],
  ['redirect URIs that are null', { redirect_uris: null }, ['redirect_uris']],
  ['one that is a number', { redirect_uris: [CALLBACK, 1] }, ['redirect_uris.1']],
  ['scopes as text', { scopes: 'catalog:read' }, ['scopes']],
  ['a scope nobody has heard of', { scopes: ['catalog:read', 'catalog:write'] }, ['scopes.1']],
  [
    'what the operator gives',
    { scopes: ['catalog:sync', 'developer:apps'] },
    ['scopes.0', 'scopes.1'],
  ],
  ['required scopes as text', { required_scopes: 'profile' }, ['required_scopes']],
  ['a required scope that is a number', { required_scopes: [1] }, ['required_scopes.0']],
  [
    'required scopes it may not request',
    {
      scopes: ['catalog:read'],
      required_scopes: ['catalog:read', 'catalog:full', 'catalog:sync', 'a'],
    },
    ['required_scopes.1', 'required_scopes.2', 'required_scopes.3'],
  ],
  [
    'what users grant, without a redirect URI',
    { scopes: ['status:write', 'catalog:read'] },
    ['scopes.0'],
  ],
  ['an unknown kind', { client_type: 'secret' }, ['client_type']],
  ['an unknown application type', { application_type: 'mobile' }, ['application_type']],
  [
    'no method for a confidential app',
    { token_endpoint_auth_method: 'none' },
    ['token_endpoint_auth_method'],
  ],
  [
    'a secret of a public app',
    { client_type: 'public', token_endpoint_auth_method: 'client_secret_post' },
    ['token_endpoint_auth_method'],
  ],
  ...[
    'http://example.org/',
    'my-app://signed-out',
    'https://10.0.0.1/',
    'https://[fd00::1]/',
    'https://metadata/',
    'https://printer.local/',
    'https://db.internal./',
    'https://user@example.org/',
    'https://example.org/#x',
  ].map((uri): [string, object, string[]] => [
    `the back-channel logout URI ${uri}`,
    { backchannel_logout_uri: uri },
    ['backchannel_logout_uri'],
  ]),
  ['an unknown grant type', { grant_types: ['implicit'] }, ['grant_types.0']],
  ['a code without a redirect URI', { grant_types: ['authorization_code'] }, ['grant_types.0']],
  [
    'client_credentials of a public app',
    { client_type: 'public', grant_types: [DEVICE, 'client_credentials'] },
    ['grant_types.1'],
  ],
  ['a field there is not', { logo_uri: null }, ['logo_uri']],
  [
    'fields that are the service’s',
    { client_id: 'x', client_secret: 'y' },
    ['client_id', 'client_secret'],
  ],
  [
    'much at once, each named',
    {
      client_name: '',
      enabled: 1,
      client_uri: 'ftp://x',
      redirect_uris: ['x'],
      scopes: ['x'],
      grant_types: 1,
      y: 1,
    },
    ['y', 'enabled', 'grant_types', 'client_name', 'client_uri', 'redirect_uris.0', 'scopes.0'],
  ],
  ['a list', '[]', ['body']],
  ['a text', '"client_name"', ['body']],
  ['null', 'null', ['body']],
]

/** Bodies that are not JSON objects, and the expected errors. */
const UNREADABLE: [body: string, status: number][] = [
  ['{', 400],
  ['', 400],
  ['{"__proto__": {"enabled": false}}', 400],
  [`{"client_name": "${'x'.repeat(70_000)}"}`, 413],
]

describeOnDatabase('an app’s settings', (engine) => {
  let service: TestService
  let developer: Developer
  before(async () => {
    const environment = { APPS_PER_ACCOUNT: '1000' }
    service = await startService({ engine, content: 'empty', environment })
    developer = await createDeveloper(service)
  })
  after(() => service.close())
  const patch = (app: DeveloperApp, body: object | string) =>
    developer.send('PATCH', `/${app.client_id}`, body)
  const get = async ({ client_id }: DeveloperApp) =>
    (await developer.send('GET', `/${client_id}`)).data

  it('are rejected with a 422 that names every invalid field, and nothing changes', async () => {
    const { client_secret: _, ...app } = await developer.create()
    for (const [name, body, fields] of REFUSED) {
      const { status, code, fields: named } = await patch(app, body)
      assert.deepEqual([status, code], [422, 'COMMON_VALIDATION_FAILED'], name)
      assert.deepEqual(named.toSorted(), fields.toSorted(), name)
      assert.deepEqual(await get(app), app, name)
    }
  })

  it('are rejected at creation with a 422 that names every invalid field, and no app is created', async () => {
    const count = async () => (await developer.send<DeveloperApp[]>('GET')).data.length
    const before = await count()
    for (const [name, body, fields] of REFUSED) {
      const sent = typeof body === 'string' ? body : { client_name: 'x', ...body }
      const { status, fields: named } = await developer.send('POST', '', sent)
      assert.deepEqual([status, named.toSorted()], [422, fields.toSorted()], name)
    }
    assert.deepEqual((await developer.send('POST', '', {})).fields, ['client_name'])
    assert.equal(await count(), before)
  })

  it('are rejected with 400 or 413 if they cannot be parsed', async () => {
    const app = await developer.create()
    for (const [body, status] of UNREADABLE)
      assert.equal((await patch(app, body)).status, status, body.slice(0, 40))
  })

  it('are accepted at their maximum length and number', async () => {
    const app = await developer.create({
      client_name: '漢'.repeat(64),
      redirect_uris: uris(5),
      scopes: ['catalog:read', 'catalog:read', 'catalog:full'],
    })
    assert.deepEqual([app.redirect_uris, app.scope], [uris(5), 'catalog:read catalog:full'])
  })

  it('may include user scopes once a redirect URI is registered, earlier or in the same request', async () => {
    const app = await developer.create()
    const scopes = ['catalog:full', 'user:read', 'status:read', 'status:write', 'collection:write']
    assert.equal((await patch(app, { scopes })).status, 422)
    const { data } = await patch(app, { scopes, redirect_uris: [CALLBACK] })
    assert.equal(data.scope, scopes.join(' '))
    assert.deepEqual(data.grant_types, [
      'authorization_code',
      'refresh_token',
      'client_credentials',
    ])
    const native = await patch(app, { application_type: 'native' })
    assert.deepEqual(
      native.data.grant_types,
      [...data.grant_types, DEVICE],
      'programs have no browser at hand',
    )
  })

  it('lose user scopes when the last redirect URI is removed, and `details` lists those scopes', async () => {
    const app = await developer.create({
      redirect_uris: uris(2),
      scopes: ['user:read', 'catalog:read', 'status:write'],
    })
    const one = await patch(app, { redirect_uris: uris(1) })
    assert.deepEqual(
      [one.data.scope, one.details],
      ['user:read catalog:read status:write', undefined],
    )
    const none = await patch(app, { redirect_uris: [] })
    assert.equal(none.status, 200)
    assert.deepEqual(none.details, { dropped_scopes: ['user:read', 'status:write'] })
    assert.deepEqual(
      [none.data.scope, none.data.grant_types],
      ['catalog:read', ['client_credentials']],
    )
    assert.equal((await get(app)).scope, 'catalog:read')
  })

  it('keep catalog:sync, which only the operator can grant or remove', async () => {
    const { clientId } = await service.createApp({
      scopes: ['catalog:sync'],
      accountId: developer.user.id,
    })
    const { data } = await developer.send('PATCH', `/${clientId}`, { scopes: ['catalog:read'] })
    assert.deepEqual(data.scope?.split(' ').toSorted(), ['catalog:read', 'catalog:sync'])
  })

  it('can make an app public and confidential again, which updates its grant types and authentication method', async () => {
    const app = await developer.create({ redirect_uris: [CALLBACK] })
    const toPublic = await patch(app, { client_type: 'public' })
    assert.equal(toPublic.data.token_endpoint_auth_method, 'none')
    assert.ok(!toPublic.data.grant_types.includes('client_credentials'))
    const back = await patch(app, {
      client_type: 'confidential',
      token_endpoint_auth_method: 'client_secret_post',
    })
    assert.equal(back.data.token_endpoint_auth_method, 'client_secret_post')
    assert.ok(back.data.grant_types.includes('client_credentials'))
  })

  it('are changed in full or stay unchanged, whatever the body of the PATCH', async () => {
    const text = (...good: string[]) =>
      fc.oneof(fc.constantFrom(...good), fc.string({ unit: 'binary', maxLength: 70 }))
    const list = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 6 })
    const scope = text('catalog:read', 'catalog:full', 'user:read', 'status:write')
    const change = fc.record(
      {
        client_name: fc.oneof({ weight: 9, arbitrary: text('One', 'Two') }, fc.jsonValue()),
        enabled: fc.oneof({ weight: 9, arbitrary: fc.boolean() }, fc.jsonValue()),
        scopes: fc.oneof({ weight: 9, arbitrary: list(scope) }, fc.jsonValue()),
        client_uri: fc.oneof(
          fc.constant(null),
          text('https://example.org/a', 'http://example.org'),
        ),
        redirect_uris: list(text(...uris(4), 'my-app://cb')),
        client_type: fc.constantFrom('confidential', 'public'),
        application_type: fc.constantFrom('web', 'native', 'other'),
        token_endpoint_auth_method: fc.constantFrom(
          'client_secret_basic',
          'client_secret_post',
          'none',
        ),
        grant_types: list(
          fc.constantFrom('authorization_code', 'refresh_token', 'client_credentials', DEVICE),
        ),
        logo_uri: fc.constant('x'),
      },
      { requiredKeys: [] },
    )
    // Few fields per body, so that many bodies are valid.
    const few = fc
      .tuple(change, fc.infiniteStream(fc.nat(3)))
      .map(([body, keep]) =>
        Object.fromEntries(Object.entries(body).filter(() => keep.next().value === 0)),
      )
    const { client_secret: _, ...app } = await developer.create()
    let current: DeveloperApp = app
    const seen = { good: 0, bad: 0 }
    await fc.assert(
      fc.asyncProperty(fc.oneof(few, few, change), async (body) => {
        const { status, data, fields } = await patch(app, body)
        const now = await get(app)
        // Keys that would reach an object's prototype are rejected before the body is read.
        if (status === 400) {
          assert.match(JSON.stringify(body), /"(__proto__|constructor)":/)
          assert.deepEqual(now, current)
          return
        }
        if (status === 422) {
          seen.bad += 1
          assert.ok(fields.length > 0)
          assert.deepEqual(now, current)
          return
        }
        assert.equal(status, 200)
        seen.good += 1
        const { client_secret: _secret, ...appData } = data
        assert.deepEqual(now, appData)
        assertComplete(current, body, now)
        current = now
      }),
      { numRuns: 250 },
    )
    assert.ok(seen.good > 20 && seen.bad > 20, JSON.stringify(seen))
  })

  it('contain all changes of one of several concurrent PATCHes, never a mixture', async () => {
    const app = await developer.create()
    const bodies = Array.from({ length: 12 }, (_, index) => ({
      client_name: `Name ${index}`,
      client_uri: `https://example.org/${index}`,
      redirect_uris: [`${CALLBACK}/${index}`],
    }))
    for (let round = 0; round < 3; round += 1) {
      const responses = await Promise.all(bodies.map((body) => patch(app, body)))
      for (const [index, { data }] of responses.entries())
        assert.deepEqual({ ...data, ...bodies[index] }, data)
      const now = await get(app)
      assert.ok(bodies.some((body) => body.client_name === now.client_name))
      const whole = bodies.find(({ client_name }) => client_name === now.client_name)
      assert.deepEqual({ ...now, ...whole }, now)
    }
  })

  it('include every change if concurrent PATCHes set different fields, and still obey every rule', async () => {
    const app = await developer.create({ redirect_uris: [CALLBACK] })
    for (let round = 0; round < 10; round += 1) {
      await patch(app, {
        redirect_uris: [CALLBACK],
        scopes: [],
        client_name: 'Old',
        enabled: false,
      })
      const [removal, ticking, naming, enabling] = await Promise.all([
        patch(app, { redirect_uris: [] }),
        patch(app, { scopes: ['status:write'] }),
        patch(app, { client_name: 'New' }),
        patch(app, { enabled: true }),
      ])
      assert.deepEqual([removal.status, naming.status, enabling.status], [200, 200, 200])
      assert.ok([200, 422].includes(ticking.status))
      const { client_name, enabled, scope, redirect_uris } = await get(app)
      assert.deepEqual([client_name, enabled, scope, redirect_uris], ['New', true, null, []])
    }
  })
})

/**
 * Asserts that every field that was sent is stored and every other field is unchanged, unless changing it is a
 * consequence of the fields that were sent.
 */
function assertComplete(before: DeveloperApp, body: Record<string, unknown>, now: DeveloperApp) {
  const { scopes, client_name: name, grant_types: grants, ...plain } = body
  for (const [field, value] of Object.entries(plain))
    assert.deepEqual(now[field as keyof DeveloperApp], value, field)
  assert.equal(now.client_name, typeof name === 'string' ? name.trim() : before.client_name)
  const wanted = Array.isArray(scopes)
    ? [...new Set<unknown>(scopes)].join(' ')
    : (before.scope ?? '')
  const signsPeopleIn = now.redirect_uris.length > 0
  const allowed = wanted.split(' ').filter((scope) => signsPeopleIn || scope.startsWith('catalog:'))
  assert.equal(now.scope ?? '', allowed.join(' '))
  if (Array.isArray(grants)) assert.deepEqual(new Set(now.grant_types), new Set(grants))
  assert.equal(now.client_type === 'public', now.token_endpoint_auth_method === 'none')
  for (const field of [
    'client_uri',
    'enabled',
    'redirect_uris',
    'client_type',
    'application_type',
  ] as const)
    if (!(field in body)) assert.deepEqual(now[field], before[field], field)
}
