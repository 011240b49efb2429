import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { eventually, type PlainBrowser } from '#test/browser.ts'
import { createDeveloper } from '#test/developer.ts'
import { startMailServer, tokenIn, type MailServer } from '#test/mail-server.ts'
import { startService, type TestService } from '#test/service.ts'
import { findApps } from '../apps/queries.ts'
import { listEvents } from '../audit/events.ts'
import { queryText } from '../db/query.ts'

const SUBJECTS = {
  en: 'An app was registered in your account',
  ja: 'アカウントにアプリが登録されました',
  'zh-Hans': '你的账号名下注册了一个应用',
} as const
type Language = keyof typeof SUBJECTS

const NAME = 'Mine <b>bold</b>'

describe('the owner of a new app', () => {
  let service: TestService
  let mails: MailServer
  before(async () => {
    mails = await startMailServer()
    service = await startService({
      environment: { SMTP_URL: mails.url, DEVELOPER_REQUESTS_PER_MINUTE: '1000' },
    })
  })
  after(async () => {
    await service?.close()
    await mails?.close()
  })

  /** Returns the emails about apps, without the notices about new browsers. */
  const to = ({ email }: { email: string }) =>
    mails.received.filter(
      (mail) =>
        mail.to.includes(email) &&
        Object.values(SUBJECTS).some((subject) => mail.html.includes(subject)),
    )
  const mailed = async (owner: { email: string }, count = 1) => {
    await eventually(async () => to(owner).length >= count, `${count} mails`)
    return to(owner)
  }
  const chooseLanguage = (owner: { id: number }, language: Language) =>
    queryText(service.db, 'insert into reader_preferences (account_id, language) values ($1, $2)', [
      owner.id,
      language,
    ])

  /** Submits the three steps, the last of which creates the app. */
  async function createOnPage(browser: PlainBrowser, fields = {}) {
    const first = await browser.get('/console/new?kind=bot')
    const second = await browser.submit(first, { client_name: NAME, ...fields })
    const form = second.forms.find((item) => item.buttons.some(({ value }) => value === 'create'))
    return form ? browser.submit(second, { act: 'create' }, form) : second
  }
  const idIn = (text: string) => /mk_[\w-]{16}/.exec(text)?.[0] ?? ''

  for (const language of ['en', 'ja', 'zh-Hans'] as const)
    it(`is notified by email, in ${language}, of an app created in the console or through the API`, async () => {
      const { user: owner, create } = await createDeveloper(service)
      await chooseLanguage(owner, language)
      const browser = await signedInBrowser(service, owner)
      browser.headers = {
        ...browser.headers,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      }
      assert.equal((await createOnPage(browser)).status, 201)
      await mailed(owner)
      await create({ client_name: NAME })
      const received = await mailed(owner, 2)
      assert.equal(received.length, 2)
      for (const { text, html } of received) {
        assert.ok(html.includes(SUBJECTS[language]), html)
        assert.match(html, new RegExp(`<html lang="${language}">`))
        for (const body of [text, html]) {
          assert.match(body, /127\.0\.0\.1/)
          assert.match(body, /\/not-me\?token=/)
          assert.doesNotMatch(body, /bold/, 'what a stranger may have chosen is not in it')
        }
      }
      assert.match(received[0]?.text ?? '', /Firefox/)
      const events = await listEvents(service.db, owner.id, { limit: 10 })
      const created = events.filter(({ kind }) => kind === 'app_created')
      assert.deepEqual(
        created.map(({ address }) => address),
        ['127.0.0.1', '127.0.0.1'],
      )
    })

  it('can disable the app by reporting that someone else registered it', async () => {
    const { user: owner, create } = await createDeveloper(service)
    const { client_id: clientId } = await create({ client_name: NAME })
    const [mail] = await mailed(owner)
    const browser = await signedInBrowser(service, owner)
    const page = await browser.get(`/not-me?token=${tokenIn(mail)}`)
    assert.match(page.text, /Mine &lt;b&gt;bold/)
    await browser.submit(
      page,
      {},
      page.forms.find(({ action }) => action.startsWith('/not-me')),
    )
    assert.equal((await findApps(service.db, [clientId]))[0]?.enabled, false)
  })

  it('gets no email about apps that were rejected or created by the operator, and at most twenty emails an hour', async () => {
    const { user: owner, create, send } = await createDeveloper(service)
    assert.equal((await send('POST', '', { client_name: '' })).status, 422)
    await service.createApp({ accountId: owner.id })
    const browser = await signedInBrowser(service, owner)
    await createOnPage(browser, { client_name: '\u200b' })
    for (let round = 0; round < 22; round += 1) {
      const { client_id: clientId } = await create({ client_name: NAME })
      await send('DELETE', `/${clientId}`)
    }
    // An email is removed from the outbox shortly after the server accepts it.
    const isOutboxEmpty = async () =>
      (await queryText(service.db, 'select from mails where email = $1', [owner.email])).length ===
      0
    await eventually(isOutboxEmpty, 'an empty outbox')
    assert.equal(to(owner).length, 20)
  })

  it('is notified in the same transaction, so no app exists without its email', async () => {
    const owner: TestUser = await createUser(service)
    await queryText(
      service.db,
      `create function refuse_mail() returns trigger language plpgsql as $$ begin
         if new.email = '${owner.email}' then raise exception 'no mail'; end if;
         return new;
       end $$`,
      [],
    )
    await queryText(
      service.db,
      'create trigger refuse_mail before insert on mails for each row execute function refuse_mail()',
      [],
    )
    const browser = await signedInBrowser(service, owner)
    const created = await createOnPage(browser)
    await queryText(service.db, 'drop trigger refuse_mail on mails', [])
    assert.equal(created.status, 500)
    assert.equal(idIn(created.text), '')
    assert.deepEqual(
      await queryText(service.db, 'select from apps where account_id = $1', [owner.id]),
      [],
    )
  })
})
