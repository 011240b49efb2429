import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createClient, createUser, obtainTokens, type TestUser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import { createImporter, LIST_EXPORT_PATH } from '#test/list-imports.ts'
import { startService, type TestService } from '#test/service.ts'
import { sendApiRequest, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import { deleteByAge } from '../../retention/delete-by-age.ts'
import { queryText } from '../../db/query.ts'

const NOTE = 'Only for my eyes.'

describeOnDatabase('a private note', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let user: TestUser
  let path: string
  before(async () => {
    service = await startService({ engine })
    works = await worksOfEachKind(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    user = await createUser(service)
    path = `/v3/user/me/progress/light-novels/${works.novel}`
  })

  /** Returns the user through an app with these scopes. */
  async function appWith(scope: string): Promise<SignedInUser> {
    const app = await createClient(service)
    const { access_token: token } = await obtainTokens(service, { app, user, scope })
    return {
      user,
      token,
      send: (method, target, body) =>
        sendApiRequest(service.url, { token, method, path: target, body }),
    }
  }

  it('is returned only to apps with the scope status:notes', async () => {
    const full = await appWith('status:write status:notes')
    await full.send('PUT', `/v3/user/me/rates/light-novels/${works.novel}`, { rate: 8 })
    await full.send('PUT', path, { private_note: NOTE, minutes: 5 })
    await full.send('PUT', `/v3/user/me/progress/galgames/${works.game}`, { private_note: NOTE })
    const targets = [
      path,
      '/v3/user/me/rates?include=progress',
      '/v3/user/me/rates/history',
      `/v3/user/me/rates/light-novels/${works.novel}/history`,
      LIST_EXPORT_PATH,
    ]
    const csv = async ({ token }: SignedInUser) =>
      (
        await fetch(`${service.url}${LIST_EXPORT_PATH}?format=csv`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).text()
    for (const scope of ['status:read', 'status:write']) {
      const app = await appWith(scope)
      for (const target of targets) {
        const { status, text } = await app.send('GET', target)
        assert.equal(status, 200, target)
        assert.ok(!text.includes(NOTE) && !text.includes('private_note'), `${scope} ${target}`)
      }
      assert.ok(!(await csv(app)).includes(NOTE))
      assert.equal((await app.send('GET', path)).data.minutes, 5)
    }
    const reader = await appWith('status:read status:notes')
    for (const target of targets)
      assert.ok((await reader.send('GET', target)).text.includes(NOTE), target)
    assert.ok((await csv(reader)).includes(NOTE))
  })

  it('is changed only by apps with the scopes status:write and status:notes', async () => {
    const full = await appWith('status:write status:notes')
    const noteOf = async () => (await full.send('GET', path)).data.private_note
    await full.send('PUT', path, { private_note: NOTE, minutes: 5 })
    const writer = await appWith('status:write')
    for (const method of ['PUT', 'PATCH']) {
      const refused = await writer.send(method, path, { private_note: 'x', minutes: 6 })
      assert.deepEqual([refused.status, refused.code], [403, 'AUTH_FORBIDDEN'])
      assert.equal(refused.body.error.details.required_scope, 'status:notes')
      assert.equal((await writer.send(method, path, { minutes: 7 })).data.minutes, 7)
      assert.equal(await noteOf(), NOTE, method)
    }
    const reader = await appWith('status:read status:notes')
    assert.equal((await reader.send('PATCH', path, { private_note: 'x' })).status, 403)
    assert.equal((await writer.send('DELETE', path)).status, 204)
    const { data } = await full.send('GET', path)
    assert.deepEqual([data.private_note, data.minutes], [NOTE, 0])
    assert.equal((await full.send('DELETE', path)).status, 204)
    assert.equal(await noteOf(), '')
  })

  it('does not affect the ETag of apps that may not read it', async () => {
    const full = await appWith('status:write status:notes')
    const writer = await appWith('status:write')
    await full.send('PUT', path, { minutes: 5 })
    const { headers, data } = await writer.send('GET', path)
    const sent = await sendApiRequest(service.url, {
      method: 'PUT',
      path,
      token: writer.token,
      headers: { 'if-match': headers.get('etag') ?? '' },
      body: { ...data, minutes: 6 },
    })
    assert.equal(sent.status, 200, 'sent back as received')
  })

  it('is not imported by an app without the scope, and the report says so', async () => {
    const full = await appWith('status:write status:notes')
    await full.send('PUT', path, { private_note: NOTE, minutes: 5 })
    const file = (await full.send('GET', LIST_EXPORT_PATH)).body
    await full.send('PUT', path, { private_note: 'Mine.' })
    const writer = await appWith('status:write')
    const { data, text } = await createImporter(service, writer)(
      { source: 'mokuroku', dry_run: false, overwrite: true },
      file,
    )
    assert.equal(data.counts.updated, 1)
    assert.deepEqual(
      data.remarks.map(({ remark, count }: AnyJson) => [/status:notes/.test(remark), count]),
      [[true, 1]],
    )
    assert.ok(!text.includes('Mine.') && !text.includes(NOTE))
    const after = (await full.send('GET', path)).data
    assert.deepEqual([after.private_note, after.minutes], ['Mine.', 5])
  })

  it('leaves the history two hours after it was written, but the entry stays', async () => {
    const full = await appWith('status:write status:notes')
    await full.send('PATCH', path, { private_note: NOTE, minutes: 1 })
    await full.send('PATCH', path, { private_note: '' })
    const history = async () => (await full.send('GET', '/v3/user/me/rates/history')).text
    await deleteByAge(service.db)
    assert.ok((await history()).includes(NOTE), 'can still be undone')
    await queryText(
      service.db,
      `update rating_changes set changed_at = changed_at - interval '121 minutes' where account_id = $1`,
      [user.id],
    )
    // The service may have locked the entry, because it erases old notes as well.
    await eventually(async () => {
      await deleteByAge(service.db)
      return !(await history()).includes(NOTE)
    })
    const { items } = (await full.send('GET', '/v3/user/me/rates/history')).data
    const erased = { from: null, to: null }
    assert.deepEqual(
      items.map(({ fields }: AnyJson) => fields),
      [{ private_note: erased }, { private_note: erased, minutes: { from: 0, to: 1 } }],
    )
    const rows = await queryText(
      service.db,
      'select from rating_changes change where account_id = $1 and change::text like $2',
      [user.id, `%${NOTE}%`],
    )
    assert.equal(rows.length, 0)
  })
})
