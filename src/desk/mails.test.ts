import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInAs, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { csrfTokenOf, eventually, PlainBrowser } from '#test/browser.ts'
import { startMailServer, type MailServer } from '#test/mail-server.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { queryText } from '../db/query.ts'
import { appealTakedown } from '../moderation/appeal-queries.ts'
import { createReport } from '../moderation/report-queries.ts'
import type { SubjectReference } from '../moderation/subject-queries.ts'
import { listOwnTakedowns } from '../moderation/takedown-queries.ts'
import { saveRating } from '../ratings/own/queries.ts'
import { createEndpoint } from '../webhooks/endpoint-queries.ts'

const CONTACT = 'desk@mokuroku.example'
const WHY = 'Because <of> this.'

const UNDONE = {
  en: 'The earlier decision was reversed.',
  ja: '以前の判断が取り消されました。',
  'zh-Hans': '之前的处理已撤销。',
} as const
type Language = keyof typeof UNDONE

/** Lines of the emails about a webhook endpoint: that it was disabled, that it is enabled, and in both its origin. */
const ABOUT_ENDPOINT: Record<Language, [disabled: string, enabled: string, origin: string]> = {
  en: [
    'An administrator disabled a webhook endpoint of your app A <launcher>. It receives no events, and only an administrator can enable it again.',
    'A webhook endpoint of your app A <launcher> is enabled again.',
    'Endpoint: https://hooks.example:8443',
  ],
  ja: [
    '管理者があなたのアプリ A <launcher> の Webhook の送信先を無効にしました。この送信先にはイベントが送信されません。再び有効にできるのは管理者だけです。',
    'あなたのアプリ A <launcher> の Webhook の送信先が再び有効になりました。',
    '送信先: https://hooks.example:8443',
  ],
  'zh-Hans': [
    '管理员停用了你的应用“A <launcher>”的一个 Webhook 端点。它不会再收到事件，只有管理员可以重新启用。',
    '你的应用“A <launcher>”的一个 Webhook 端点已重新启用。',
    '端点: https://hooks.example:8443',
  ],
}

/** Emails about a role that is set and removed, and a rate limit that is set and reset. */
const CHANGED_TO: Record<Language, readonly string[]> = {
  en: [
    'Role: moderator',
    'Role: none',
    'Requests per minute: 7',
    'Requests per minute: the default for all apps',
  ],
  ja: [
    '役割: モデレーター',
    '役割: なし',
    '1分あたりのリクエスト数: 7',
    '1分あたりのリクエスト数: 全アプリ共通の既定値',
  ],
  'zh-Hans': ['角色: 版主', '角色: 无', '每分钟请求数: 7', '每分钟请求数: 所有应用的默认值'],
}

describe('the email about an action at the desk', () => {
  let service: TestService
  let mails: MailServer
  let admin: PlainBrowser
  let csrf: string
  let reporter: TestUser
  let game: number
  before(async () => {
    mails = await startMailServer()
    service = await startService({
      environment: { SMTP_URL: mails.url, SECURITY_CONTACT: `mailto:${CONTACT}` },
    })
    game = first((await sampleWorks(service.db)).galgame)
    reporter = await createUser(service)
    admin = (await signedInAs(service, 'ADMIN')).browser
    csrf = csrfTokenOf(await admin.get(`/desk/accounts/${reporter.id}`))
  })
  after(async () => {
    await service?.close()
    await mails?.close()
  })

  async function send(path: string, fields: Record<string, string> = { note: WHY }) {
    const { status, text } = await admin.post(`/desk${path}`, { _csrf: csrf, ...fields })
    assert.ok(status < 400, `${path}: ${status} ${text.slice(0, 500)}`)
  }
  /** Submits an undo form without a reason. */
  const undoAction = (path: string, fields: Record<string, string> = {}) =>
    send(path, { ...fields, undo: 'yes', note: '' })

  async function hide(owner: TestUser, named: SubjectReference): Promise<number> {
    await queryText(service.db, 'delete from reports where account_id = $1', [reporter.id])
    const created = await createReport(service.db, reporter.id, { named, reason: 'SPAM', note: '' })
    assert.ok('report' in created, JSON.stringify(named))
    await send(`/reports/${created.report.id}/hide`, { reason: 'SPAM', note: WHY })
    const [takedown] = await listOwnTakedowns(service.db, owner.id)
    assert.ok(takedown)
    return takedown.id
  }

  async function personWith(language: Language): Promise<TestUser> {
    const person = await createUser(service)
    await queryText(
      service.db,
      'insert into reader_preferences (account_id, language) values ($1, $2)',
      [person.id, language],
    )
    await queryText(
      service.db,
      `update accounts set picture = 'https://a.example/p.png' where id = $1`,
      [person.id],
    )
    await queryText(
      service.db,
      'insert into public_profiles (account_id, is_shown) values ($1, true)',
      [person.id],
    )
    return person
  }

  /**
   * Runs every action.
   *
   * @returns the number of emails of each kind it sends
   */
  async function doEverythingTo(person: TestUser) {
    const key = { accountId: person.id, kind: 'galgame', workId: game } as const
    const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
    const review = await hide(person, { kind: 'REVIEW', id })
    await appealTakedown(service.db, person.id, review, 'No.', {})
    await send(`/hidden/${review}/reject`)
    await send(`/hidden/${review}/restore`)
    const profile = await hide(person, { kind: 'PROFILE', id: person.id })
    await undoAction(`/hidden/${profile}/restore`)
    await hide(person, { kind: 'PICTURE', type: 'profile', id: person.id })
    const account = `/accounts/${person.id}`
    await send(`${account}/ban`)
    await undoAction(`${account}/unban`)
    await send(`${account}/factors`)
    await send(`${account}/sessions`)
    await queryText(
      service.db,
      `insert into passkeys (credential_id, account_id, name, public_key, transports) values ($1, $2, 'Phone', 'AAAA', '[]')`,
      [`of-${person.id}`, person.id],
    )
    await signedInBrowser(service, person)
    await queryText(
      service.db,
      `insert into personal_tokens (account_id, slot, token_hash, name, scopes) values ($1, 1, $2, 'Backup', '["status:read"]')`,
      [person.id, String(person.id).padStart(43, '0')],
    )
    await queryText(
      service.db,
      'insert into private_feeds (account_id, secret_hash) values ($1, $2)',
      [person.id, String(person.id).padStart(43, '0')],
    )
    for (const twice of [1, 2]) {
      await send(`${account}/feeds`, { note: `${WHY} ${twice}` })
      await send(`${account}/tokens`, { token: 'all', note: `${WHY} ${twice}` })
      await send(`${account}/factors`, { note: `${WHY} ${twice}` })
      await send(`${account}/sessions`, { note: `${WHY} ${twice}` })
    }
    await send(`${account}/role`, { role: 'MODERATOR', note: WHY })
    await undoAction(`${account}/role`, { role: '' })
    const { clientId } = await service.createApp({
      accountId: person.id,
      clientName: 'A <launcher>',
    })
    await send(`/apps/${clientId}/limit`, { limit: '7', note: WHY })
    await undoAction(`/apps/${clientId}/limit`, { limit: '' })
    await send(`/apps/${clientId}/disable`)
    await undoAction(`/apps/${clientId}/enable`)
    const owner = { accountId: person.id, clientId, origin: {} }
    const url = 'https://hooks.example:8443/secret-path?secret-query'
    const change = { url, events: ['app.revoked' as const] }
    const endpoint = await createEndpoint(service.db, owner, change, undefined)
    assert.ok('id' in endpoint)
    for (const action of ['disable', 'enable'])
      // The second time, there is nothing to change.
      for (const twice of [1, 2])
        await send(`/webhooks/${endpoint.id}/${action}`, { note: `${WHY} ${twice}` })
    return { all: 20, appealable: 3, takenBack: 5 }
  }

  for (const language of ['en', 'ja', 'zh-Hans'] as const)
    it(`explains the reason and how to object in ${language}, as text and as HTML`, async () => {
      const person = await personWith(language)
      const { all, appealable, takenBack: undone } = await doEverythingTo(person)
      const received = () => mails.received.filter(({ to }) => to.includes(person.email))
      await eventually(async () => received().length >= all, 'every mail')
      assert.equal(received().length, all)
      const reports = `${service.config.authUrl}/reports`
      const counts = { appealable: 0, takenBack: 0 }
      for (const { text, html } of received()) {
        assert.match(html, new RegExp(`<html lang="${language}">`))
        assert.equal(/[\p{Script=Han}\p{Script=Hiragana}]{4}/u.test(text), language !== 'en', text)
        const leads = text.includes(reports)
        assert.equal(html.includes(`href="${reports}"`), leads, html)
        assert.ok(
          leads || (text.includes(CONTACT) && html.includes(CONTACT)),
          `no way to object: ${text}`,
        )
        assert.doesNotMatch(text + html, /secret-/)
        assert.doesNotMatch(text, /this\. 2/, 'there was nothing to end any more')
        const isUndone = text.includes(UNDONE[language])
        assert.equal(html.includes(UNDONE[language]), isUndone)
        assert.ok(
          isUndone || (text.includes(WHY) && html.includes('Because &lt;of&gt; this.')),
          text,
        )
        counts.appealable += leads ? 1 : 0
        counts.takenBack += isUndone ? 1 : 0
      }
      assert.deepEqual(counts, { appealable, takenBack: undone })
      for (const fact of CHANGED_TO[language])
        assert.equal(
          received().filter(({ text }) => text.split(/\r?\n/).includes(fact)).length,
          1,
          fact,
        )
      const [disabled, enabled, origin] = ABOUT_ENDPOINT[language]
      for (const change of [disabled, enabled]) {
        const about = received().filter(({ text }) => text.split(/\r?\n/).includes(change))
        assert.deepEqual(
          about.map(({ text }) => text.split(/\r?\n/).includes(origin)),
          [true],
          change,
        )
      }
      const own = await signedInBrowser(service, person)
      const page = await own.get(reports)
      assert.equal(page.status, 200)
      assert.ok(page.forms.some(({ action }) => action.endsWith('/appeal')))
    })

  it('is in the language of the last sign-in for users who have not chosen a language', async () => {
    const person = await createUser(service)
    const own = new PlainBrowser(service.url)
    own.headers['accept-language'] = 'ja'
    const { email, password } = person
    await own.submit(await own.get('/sign-in'), { email, password })
    const key = { accountId: person.id, kind: 'galgame', workId: game } as const
    const { id } = JSON.parse(await saveRating(service.db, key, null, { rate_content: 'Nasty.' }))
    await hide(person, { kind: 'REVIEW', id })
    await send(`/accounts/${person.id}/ban`)
    const received = () => mails.received.filter(({ to }) => to.includes(email))
    await eventually(async () => received().length >= 2, 'both mails')
    for (const { html } of received()) assert.match(html, /<html lang="ja">/)
  })
})
