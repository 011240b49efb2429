import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { accountPages, fillForm, PASSWORD } from '#test/account-pages.ts'
import { assertWithinASecond, eventually, formTo, type PlainBrowser } from '#test/browser.ts'
import {
  createDatabase,
  DEFAULT_ENGINE,
  describeOnEachDatabase,
  type TestDatabase,
} from '#test/databases.ts'
import { spawnAnother, type ServiceProcess } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { setPassword } from '../../accounts/operator-queries.ts'
import { setRole } from '../../accounts/role-queries.ts'
import { deleteAccount } from '../../accounts/deletion-queries.ts'
import { createLink } from '../../accounts/mail/link-queries.ts'
import { MAX_PERSONAL_TOKENS } from '../../accounts/personal-tokens/queries.ts'
import { newPersonalToken } from '../../accounts/personal-tokens/token-format.ts'
import { exportAccount } from '../../accounts/profile/export.ts'
import { searchEvents } from '../../audit/search-queries.ts'
import { PERSONAL_TOKEN_SCOPES } from '../../apps/rules/scopes.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'

const PATH = '/account/tokens'
const RATES = '/v3/user/me/rates'

describe('the lifetime of a personal access token', () => {
  for (const [maximum, offered] of [
    ['forever', ['30', '90', '365', '0']],
    ['90d', ['30', '90']],
    ['45d', ['30']],
    ['7d', ['7']],
  ] as const)
    it(`is limited by PERSONAL_TOKEN_LIFETIME=${maximum}`, async () => {
      const service = await startService({
        engine: DEFAULT_ENGINE,
        environment: { PERSONAL_TOKEN_LIFETIME: maximum },
      })
      try {
        const { browser, id } = await accountPages(service).createSignedInUser()
        const { text } = await browser.get(PATH)
        const [, choices = ''] = /<select[^>]*name="days"[^>]*>(.*?)<\/select>/s.exec(text) ?? []
        assert.deepEqual(
          [...choices.matchAll(/value="(\d+)"/g)].map(([, days]) => days),
          offered,
        )
        for (const days of ['0', '7', '30', '90', '365', '366']) {
          const { status } = await fillForm(browser, PATH, {
            name: 'Script',
            days,
            current_password: PASSWORD,
            'allow.status:read': 'yes',
          })
          assert.equal(status, offered.some((choice) => choice === days) ? 200 : 422, days)
        }
        const { rows } = await sql<{ days: number | null }>`
          select extract(day from expires_at - created_at)::integer as days
          from personal_tokens where account_id = ${id} order by id`.execute(service.db)
        assert.deepEqual(rows.map(({ days }) => String(days ?? 0)).toSorted(), offered.toSorted())
      } finally {
        await service.close()
      }
    })
})

describeOnEachDatabase('a personal access token', (engine) => {
  let service: TestService
  let database: TestDatabase
  /** With a database server, a second process must also learn of every change. */
  let other: ServiceProcess | undefined
  let pages: ReturnType<typeof accountPages>
  before(async () => {
    database = await createDatabase(engine, 'sample')
    service = await startService({ database })
    pages = accountPages(service)
    if (engine === 'server')
      other = await spawnAnother(database, service, {
        CATALOG_REQUESTS_PER_MINUTE: '100000',
        USER_REQUESTS_PER_MINUTE: '100000',
        FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
      })
  })
  after(async () => {
    await other?.stop()
    await service.close()
    await database.remove()
  })

  const send = (
    browser: PlainBrowser,
    scopes: string[],
    { name = 'Script', days = '30', password = PASSWORD } = {},
  ) =>
    fillForm(browser, PATH, {
      name,
      days,
      current_password: password,
      ...Object.fromEntries(scopes.map((scope) => [`allow.${scope}`, 'yes'])),
    })
  const create = async (...parameters: Parameters<typeof send>) => {
    const { status, text } = await send(...parameters)
    const [token] = /mkp_[0-9A-Za-z]{49}/.exec(text) ?? []
    assert.ok(status === 200 && token !== undefined, `${status} ${text}`)
    return token
  }
  async function createUserWithToken(scopes = ['status:write', 'catalog:read']) {
    const user = await pages.createSignedInUser()
    return { ...user, token: await create(user.browser, scopes) }
  }

  async function codeOf(url: string, init: RequestInit) {
    const response = await fetch(url, { redirect: 'manual', ...init })
    const text = await response.text()
    const [, code = ''] = /"code":"([A-Z_]+)"/.exec(text) ?? []
    return `${response.status} ${code}`.trim()
  }
  /** Returns the response of each process, or a single one if all agree. */
  async function responses(token: string, path = RATES, method = 'GET') {
    const urls = [service.url, ...(other ? [other.url] : [])]
    const headers = { authorization: `Bearer ${token}` }
    const codes = await Promise.all(urls.map((url) => codeOf(url + path, { method, headers })))
    return [...new Set(codes)].join(', ')
  }
  const waitFor = (token: string, expected: string) =>
    eventually(async () => (await responses(token)) === expected)
  const rowsOf = (accountId: number) =>
    service.db
      .selectFrom('personal_tokens')
      .selectAll()
      .where('account_id', '=', accountId)
      .execute()

  it('gives access to the user API and the catalog as its owner, with its scopes and those they include', async () => {
    const { token, id } = await createUserWithToken()
    assert.equal(await responses(token), '200')
    for (const family of ['/v3', '/api/v3/open'])
      assert.equal(await responses(token, `${family}/light-novels/24`), '200')
    const written = await fetch(`${service.url}${RATES}/light-novels/24`, {
      method: 'PUT',
      headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
      body: '{"status":"GOING"}',
    })
    assert.equal(written.status, 200)
    const rating = await service.db
      .selectFrom('ratings')
      .select('status')
      .where('account_id', '=', id)
      .executeTakeFirst()
    assert.deepEqual(rating, { status: 'GOING' })
    assert.equal(await responses(token, '/v3/user/me/collections'), '403 AUTH_FORBIDDEN')
    assert.equal(await responses(token, '/v3/user/me'), '403 AUTH_FORBIDDEN')
  })

  it('sees adult works only with catalog:full', async () => {
    const nsfw = await service.db
      .selectFrom('works')
      .select('id')
      .where('nsfw', '=', true)
      .where('kind', '=', 'galgame')
      .executeTakeFirstOrThrow()
    const path = `/v3/galgames/${nsfw.id}`
    const { browser, token } = await createUserWithToken()
    assert.equal(await responses(token, path), '404 COMMON_NOT_FOUND')
    assert.equal(await responses(await create(browser, ['catalog:full']), path), '200')
  })

  it('cannot get scopes of apps, and never reaches the provider, pages or the developer API', async () => {
    assert.ok(PERSONAL_TOKEN_SCOPES.includes('status:notes'))
    const { browser } = await pages.createSignedInUser()
    for (const scope of [
      'developer:apps',
      'catalog:sync',
      'openid',
      'email',
      'offline_access',
      'x',
    ])
      assert.equal((await send(browser, [scope])).status, 422, scope)
    const token = await create(browser, [
      ...PERSONAL_TOKEN_SCOPES,
      'developer:apps',
      'catalog:sync',
    ])
    const headers = { authorization: `Bearer ${token}` }
    assert.equal(await responses(token, '/api/v3/user/me/developer/apps'), '403 AUTH_FORBIDDEN')
    assert.equal(await responses(token, '/v3/catalog/changes'), '403 AUTH_FORBIDDEN')
    for (const path of ['/oidc/me', '/oidc/token/introspection', '/oidc/token/revocation']) {
      const body = path === '/oidc/me' ? undefined : new URLSearchParams({ token })
      const response = await fetch(service.url + path, {
        method: body ? 'POST' : 'GET',
        headers,
        ...(body && { body }),
      })
      assert.ok([400, 401].includes(response.status), `${path} ${response.status}`)
      assert.doesNotMatch(await response.text(), /"sub"|"active":true/)
    }
    const refused = await fetch(`${service.url}/mcp`, { method: 'POST', headers })
    assert.equal(refused.status, 401)
    assert.match(
      refused.headers.get('www-authenticate') ?? '',
      /error="invalid_token".*resource_metadata="[^"]+\/oauth-protected-resource\/mcp"/,
    )
    for (const path of [
      '/account',
      '/account/tokens',
      '/account/data',
      '/library',
      '/console',
      '/desk',
    ])
      assert.doesNotMatch(await responses(token, path), /^200/, path)
  })

  it('is accepted in the Authorization header only', async () => {
    const { token } = await createUserWithToken()
    for (const name of ['access_token', 'token', 'authorization'])
      assert.equal(
        await codeOf(`${service.url}${RATES}?${name}=${token}`, {}),
        '401 AUTH_UNAUTHENTICATED',
      )
    const cookie = `access_token=${token}`
    assert.equal(
      await codeOf(`${service.url}${RATES}`, { headers: { cookie } }),
      '401 AUTH_UNAUTHENTICATED',
    )
    const basic = `Basic ${Buffer.from(`${token}:`).toString('base64')}`
    assert.equal(
      await codeOf(`${service.url}${RATES}`, { headers: { authorization: basic } }),
      '401 AUTH_UNAUTHENTICATED',
    )
  })

  it('is refused if it is unknown, malformed, or only resembles a stored one', async () => {
    const { token, id } = await createUserWithToken()
    const [row] = await rowsOf(id)
    const middle = token.length - 10
    for (const wrong of [
      newPersonalToken(),
      token.slice(0, middle) + (token[middle] === 'a' ? 'b' : 'a') + token.slice(middle + 1),
      token.slice(0, -1),
      `${token}x`,
      `mkp_${row?.token_hash ?? ''}`,
      'mkp_',
      `mkp_${'__proto__'.padEnd(49, '0')}`,
    ])
      assert.equal(await responses(wrong), '401 AUTH_TOKEN_INVALID', wrong)
    assert.equal(await responses(token), '200')
  })

  it('is stored only as a hash, and appears in no export or log', async () => {
    const { token, id } = await createUserWithToken(['status:read'])
    await responses(token)
    const [row] = await rowsOf(id)
    assert.equal(row?.token_hash, hashToken(token))
    const exported = JSON.stringify(await exportAccount(service.db, id))
    const { personal_tokens: tokens } = JSON.parse(exported) as { personal_tokens: object[] }
    assert.equal(tokens.length, 1)
    assert.deepEqual(Object.keys(tokens[0] ?? {}), [
      'name',
      'scopes',
      'created_at',
      'expires_at',
      'last_used_at',
    ])
    for (const secret of [token, hashToken(token)]) {
      assert.ok(!exported.includes(secret))
      assert.ok(!JSON.stringify(service.logged).includes(secret))
    }
  })

  it('needs the current password, a name, a scope and an offered lifetime', async () => {
    const { browser, id } = await pages.createSignedInUser()
    for (const [scopes, filled] of [
      [['status:read'], { password: 'wrong one' }],
      [['status:read'], { name: '' }],
      [['status:read'], { name: 'x'.repeat(65) }],
      [['status:read'], { days: '31' }],
      [['status:read'], { days: '__proto__' }],
      [[], {}],
    ] as const)
      assert.equal((await send(browser, [...scopes], filled)).status, 422, JSON.stringify(filled))
    assert.deepEqual(await rowsOf(id), [])
  })

  it('is shown once, listed, audited, and reported to its owner', async () => {
    const { browser, id, email } = await pages.createSignedInUser()
    const sent = await send(browser, ['status:read'], { name: '<Backup>' })
    const [token = ''] = /mkp_[0-9A-Za-z]{49}/.exec(sent.text) ?? []
    assert.match(sent.text, /curl -H/)
    assert.equal(sent.headers.get('cache-control'), 'no-store')
    const { text } = await browser.get(PATH)
    assert.ok(!text.includes(token) && text.includes('&lt;Backup&gt;'))
    assert.equal((await pages.eventKinds(id))[0], 'token_created')
    const mails = await service.db
      .selectFrom('mails')
      .select('kind')
      .where('email', '=', email)
      .execute()
    const wasSent = service.logged.some((line) => JSON.stringify(line).includes('token_created'))
    assert.ok(wasSent || mails.some(({ kind }) => kind === 'token_created'))
  })

  it('is listed with the hour of its last use, which is written once an hour', async () => {
    const { token, id } = await createUserWithToken()
    assert.equal((await rowsOf(id))[0]?.last_used_at, null)
    await responses(token)
    await eventually(async () => (await rowsOf(id))[0]?.last_used_at !== null)
    const [used] = await rowsOf(id)
    assert.equal(used?.last_used_at?.getUTCMinutes(), 0)
    await sql`update personal_tokens set last_used_at = '2020-01-01' where id = ${used?.id}`.execute(
      service.db,
    )
    await responses(token)
    // A process records a use only in an hour that it has not recorded, unless the hour has just changed.
    const [later] = await rowsOf(id)
    assert.ok(later?.last_used_at?.getUTCFullYear() === 2020 || new Date().getUTCMinutes() === 0)
  })

  it('is rejected by every process after one token or all tokens were revoked', async () => {
    const { browser, token, id } = await createUserWithToken()
    const [second, third] = [
      await create(browser, ['status:read']),
      await create(browser, ['status:read']),
    ]
    for (const known of [token, second, third]) assert.equal(await responses(known), '200')
    const list = await browser.get(PATH)
    const [row] = await rowsOf(id)
    await browser.press(list, `${PATH}/revoke`, { token: String(row?.id) })
    await waitFor(token, '401 AUTH_TOKEN_INVALID')
    assert.equal(await responses(second), '200')
    await browser.submit(await browser.get(PATH), {}, formTo(list, `${PATH}/revoke-all`))
    await waitFor(second, '401 AUTH_TOKEN_INVALID')
    await waitFor(third, '401 AUTH_TOKEN_INVALID')
    const kinds = await pages.eventKinds(id)
    assert.equal(kinds.filter((kind) => kind === 'token_revoked').length, 3)
  })

  it('cannot be revoked by another user', async () => {
    const { token, id } = await createUserWithToken()
    const stranger = await createUserWithToken()
    const [row] = await rowsOf(id)
    const list = await stranger.browser.get(PATH)
    await stranger.browser.press(list, `${PATH}/revoke`, { token: String(row?.id) })
    assert.equal(await responses(token), '200')
    assert.equal((await rowsOf(id)).length, 1)
  })

  it('is rejected once it has expired, even if a process has cached it', async () => {
    const { token, id } = await createUserWithToken()
    await sql`update personal_tokens set expires_at = now() + interval '2 seconds' where account_id = ${id}`.execute(
      service.db,
    )
    // The processes have not seen the token before, so they cache the new expiry.
    await responses(token)
    await waitFor(token, '401 AUTH_TOKEN_INVALID')
    assert.equal((await rowsOf(id)).length, 1)
  })

  it('is accepted again once the ban of its owner is lifted', async () => {
    const { token, id } = await createUserWithToken()
    await banAccount(service.db, id, 'spam')
    await waitFor(token, '403 USER_BANNED')
    await unbanAccount(service.db, id)
    await waitFor(token, '200')
  })

  const password = 'another long enough one'
  const endings: {
    after: string
    end: (user: Awaited<ReturnType<typeof createUserWithToken>>) => Promise<unknown>
    /** Response to the token if it still exists. */
    refusal?: string
  }[] = [
    {
      after: 'its owner is banned',
      end: ({ id }) => banAccount(service.db, id, 'spam'),
      refusal: '403 USER_BANNED',
    },
    { after: 'its account is deleted', end: ({ id }) => deleteAccount(service.db, id) },
    {
      after: 'deletion of its account is requested',
      end: ({ browser }) => fillForm(browser, '/account/delete', { current_password: PASSWORD }),
    },
    {
      after: 'it is revoked',
      async end({ browser, id }) {
        const [row] = await rowsOf(id)
        const list = await browser.get(PATH)
        await browser.press(list, `${PATH}/revoke`, { token: String(row?.id) })
      },
    },
    {
      after: 'its owner changes the password',
      end: ({ browser }) =>
        fillForm(browser, '/account/password', { current_password: PASSWORD, password }),
    },
    {
      after: 'its owner resets the password',
      async end({ browser, email, id }) {
        const link = { purpose: 'reset_password', email, account_id: id } as const
        const page = await browser.get(
          `/reset-password?token=${await createLink(service.db, link)}`,
        )
        await browser.submit(page, { password }, page.forms[0])
      },
    },
    {
      after: 'the operator sets a password',
      end: ({ id }) => setPassword(service.db, id, password),
    },
  ]
  for (const { after: change, end, refusal } of endings)
    it(`is refused by every process within a second after ${change}`, () =>
      assertWithinASecond(async () => {
        const user = await createUserWithToken()
        assert.equal(await responses(user.token), '200')
        await end(user)
        assert.equal((await rowsOf(user.id)).length, refusal === undefined ? 0 : 1)
        const code = refusal ?? '401 AUTH_TOKEN_INVALID'
        return async () => (await responses(user.token)) === code
      }))

  it('is recorded as revoked in the history of an account whose password was changed', async () => {
    const { browser, id } = await createUserWithToken()
    await fillForm(browser, '/account/password', { current_password: PASSWORD, password })
    const [latest, earlier] = await pages.eventKinds(id)
    assert.deepEqual([latest, earlier], ['token_revoked', 'password_changed'])
  })

  it('is created once, even if its page is reloaded after revocation', async () => {
    const { browser, id } = await pages.createSignedInUser()
    const list = await browser.get(PATH)
    const form = formTo(list, PATH)
    const filled = { name: 'Script', days: '30', current_password: PASSWORD }
    const submit = () => browser.submit(list, { ...filled, 'allow.status:read': 'yes' }, form)
    assert.match((await submit()).text, /mkp_/)
    for (const isRevoked of [false, true]) {
      if (isRevoked) {
        const { id: token } = (await rowsOf(id))[0] ?? {}
        await browser.submit(list, { token: String(token) }, { ...form, action: `${PATH}/revoke` })
      }
      const repeated = await submit()
      assert.equal(repeated.status, 409)
      assert.match(repeated.text, /A token was created after you opened this form/)
      assert.doesNotMatch(repeated.text, /mkp_/)
      assert.equal((await rowsOf(id)).length, isRevoked ? 0 : 1)
    }
  })

  it('appears at the desk without its secret and is revoked there, alone or with all others', async () => {
    const { browser, token, id } = await createUserWithToken()
    const [second, third] = [
      await create(browser, ['status:read'], { name: '<Backup>' }),
      await create(browser, ['status:read']),
    ]
    const admin = await pages.createSignedInUser()
    await setRole(service.db, admin.id, 'ADMIN')
    const page = `/desk/accounts/${id}`
    const shown = await admin.browser.get(page)
    assert.match(shown.text, /&lt;Backup&gt;/)
    for (const secret of [token, hashToken(token)]) assert.ok(!shown.text.includes(secret))
    const revoke = async (which: string, note = 'It was leaked.') => {
      const form = shown.forms.find(({ fields }) => fields['token'] === which)
      assert.ok(form, which)
      return admin.browser.submit(shown, { note }, form)
    }
    const [, row] = await rowsOf(id)
    assert.equal((await revoke(String(row?.id), '')).status, 422)
    assert.equal((await rowsOf(id)).length, 3)
    const done = await revoke(String(row?.id))
    assert.match(done.text, /Access tokens revoked\. The owner has been notified\./)
    await waitFor(second, '401 AUTH_TOKEN_INVALID')
    assert.equal(await responses(third), '200')
    assert.match((await revoke(String(row?.id))).text, /Nothing was changed/)
    await revoke('all')
    for (const revoked of [token, third]) await waitFor(revoked, '401 AUTH_TOKEN_INVALID')
    const events = await searchEvents(
      service.db,
      { accountId: id, kind: 'token_revoked' },
      { limit: 9 },
    )
    assert.deepEqual(
      events.map(({ actor_id: actor, details }) => [actor, details['reason']]),
      [1, 2, 3].map(() => [admin.id, 'It was leaked.']),
    )
  })

  it('is limited to fifty per account, even for simultaneous requests', async () => {
    const { browser, id } = await pages.createSignedInUser()
    await sql`
      insert into personal_tokens (account_id, slot, token_hash, name, scopes)
      select ${id}::bigint, slot, lpad(${id}::text || '-' || slot, 43, '0'), 'Old', '["status:read"]'
      from generate_series(1, ${MAX_PERSONAL_TOKENS - 2}) slot`.execute(service.db)
    // A form is stale once another request has created a token.
    const untilFresh = async (): Promise<number> => {
      const { status, text } = await send(browser, ['status:read'])
      return text.includes('after you opened this form') ? untilFresh() : status
    }
    const statuses = await Promise.all(Array.from({ length: 4 }, untilFresh))
    assert.deepEqual(statuses.toSorted(), [200, 200, 409, 409])
    assert.equal((await rowsOf(id)).length, MAX_PERSONAL_TOKENS)
  })
})
