import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createClient, createUser, obtainTokens, type TestUser } from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { responseValidator } from '#test/openapi.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { deleteAccount } from '../deletion-queries.ts'
import { updateProfile } from '../queries.ts'

const PATHS = ['/v3/user/me', '/api/v3/open/user/me']

describeOnDatabase('GET user/me', (engine) => {
  let service: TestService
  const check = responseValidator()
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  async function tokenOf(user: TestUser, scope: string) {
    const { access_token } = await obtainTokens(service, {
      app: await createClient(service),
      user,
      scope,
    })
    return access_token
  }

  async function get(path: string, token?: string, headers: Record<string, string> = {}) {
    const response = await service.get(path, token, headers)
    const text = await response.text()
    // as: validated against the OpenAPI document on the next line
    const body = JSON.parse(text) as { data?: Record<string, unknown>; error?: { code: string } }
    assert.equal(check('/v3/user/me', response.status, body), '')
    return {
      status: response.status,
      data: body.data,
      code: body.error?.code,
      text,
      headers: response.headers,
    }
  }

  it('returns the token’s user, without the email address', async () => {
    const user = await createUser(service, 'Tomoya')
    const token = await tokenOf(user, 'user:read email openid')
    const fresh = await get('/v3/user/me', token)
    const { created_at, ...rest } = fresh.data ?? {}
    const always = {
      signature: null,
      head_cover: null,
      mobile_head_cover: null,
      role: 'USER',
      status: 'ACTIVE',
      follower_count: 0,
      following_count: 0,
      is_following: false,
      is_mutual: false,
      equipped_frame: null,
      equipped_badges: [],
    }
    const emptyProfile = { nickname: null, picture: null, avatar: null, bio: null }
    assert.deepEqual(rest, { id: user.id, name: 'Tomoya', ...emptyProfile, ...always })
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const profile = { nickname: 'Uncle', picture: 'https://example.net/a.png', bio: 'Two\nlines' }
    await updateProfile(service.db, user.id, profile)
    for (const path of PATHS) {
      const { status, data, text, headers } = await get(path, token)
      assert.equal(status, 200)
      const { avatar, ...others } = data ?? {}
      assert.deepEqual(others, { id: user.id, name: 'Tomoya', ...profile, ...always, created_at })
      // As in other services, the avatar id is derived only from the URL.
      const known = { id: 244_262_221_838_277, src: profile.picture, width: null, height: null }
      assert.deepEqual(avatar, known)
      assert.ok(!text.includes(user.email))
      assert.equal(headers.get('cache-control'), 'no-store')
    }
  })

  it('ignores user ids in the request', async () => {
    const [victim, user] = [await createUser(service), await createUser(service)]
    const token = await tokenOf(user, 'user:read')
    const id = String(victim.id)
    const response = await get(`/v3/user/me?account_id=${id}&user_id=${id}&sub=${id}`, token, {
      'x-user-id': id,
    })
    assert.equal(response.data?.['id'], user.id)
  })

  it('rejects requests without a token, application tokens and tokens without user:read', async () => {
    const user = await createUser(service)
    const token = await tokenOf(user, 'status:write collection:write')
    for (const path of PATHS) {
      const refusals = [
        await get(path),
        await get(path, await service.token()),
        await get(path, token),
      ]
      assert.deepEqual(
        refusals.map(({ status, code }) => `${status} ${code}`),
        ['401 AUTH_UNAUTHENTICATED', '401 AUTH_UNAUTHENTICATED', '403 AUTH_FORBIDDEN'],
      )
      const { status } = await fetch(service.url + path, { method: 'PUT' })
      assert.equal(status, 405)
    }
  })

  it('rejects the token of a deleted account', async () => {
    const user = await createUser(service)
    const token = await tokenOf(user, 'user:read')
    await deleteAccount(service.db, user.id)
    const { status, code } = await get('/v3/user/me', token)
    assert.deepEqual([status, code], [401, 'AUTH_TOKEN_INVALID'])
  })
})
