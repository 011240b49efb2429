import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { signInFrom } from '#test/sign-ins.ts'
import { queryText } from '../../db/query.ts'
import type { Language } from '../../i18n/languages.ts'
import { savePreferences } from '../preferences/queries.ts'
import { exportAccount } from '../profile/export.ts'
import { enqueueModerationMail } from './enqueue-moderation-mail.ts'
import { prepareMail, type MailRow } from './prepare-mail.ts'
import { enqueueRegistrationNotice } from './registration-notice.ts'

describeOnDatabase('an email about a change by someone else', (engine) => {
  let database: OpenTestDatabase
  let accounts = 0
  before(async () => (database = await openTestDatabase(engine)))
  after(() => database.remove())

  async function createRecipient() {
    accounts += 1
    const email = `language-${accounts}@example.org`
    return {
      id: await addAccount(database.db, { email, name: 'Reader', password: 'correct horse' }),
      email,
    }
  }
  const languages = async (email: string) =>
    (
      await database.db
        .selectFrom('mails')
        .select(['kind', 'language'])
        .where('email', '=', email)
        .orderBy('id')
        .execute()
    ).map(({ kind, language }) => `${kind} ${language}`)
  const notify = async (id: number) => {
    await enqueueModerationMail(database.db, id, { kind: 'account_banned', note: 'x' })
    await enqueueRegistrationNotice(database.db, id, {})
  }
  const prefer = (id: number, language: Language | null) =>
    savePreferences(database.db, id, false, {
      language,
      time_zone: null,
      shows_spoilers: false,
      title_preference: 'translated',
    })

  it('is in the language of the last sign-in from any browser', async () => {
    const { id, email } = await createRecipient()
    await notify(id)
    const { device } = await signInFrom(database.db, id, undefined, 'ja')
    await notify(id)
    await signInFrom(database.db, id, device, 'zh-Hans')
    await notify(id)
    assert.deepEqual(await languages(email), [
      'account_banned und',
      'app_registered und',
      'account_banned ja',
      'app_registered ja',
      'account_banned zh-Hans',
      'app_registered zh-Hans',
    ])
    assert.deepEqual(
      (await exportAccount(database.db, id))?.known_devices.map(({ language }) => language),
      ['zh-Hans'],
    )
  })

  it('is in the site’s default language if the recipient’s language is unknown', async () => {
    const { id, email } = await createRecipient()
    await notify(id)
    const rows = await queryText<MailRow>(database.db, 'select * from mails where email = $1', [
      email,
    ])
    const subjects = async (defaultLanguage: Language) => {
      const sent = rows.map((row) =>
        prepareMail(database.db, 'https://a.example', row, { defaultLanguage }),
      )
      return (await Promise.all(sent)).map((mail) => mail?.subject ?? '')
    }
    for (const subject of await subjects('ja')) assert.match(subject, /[ぁ-ん]/)
    for (const subject of await subjects('en')) assert.match(subject, /^[ -~’]+$/)
  })

  it('is in the recipient’s preferred language if one is set', async () => {
    const { id, email } = await createRecipient()
    await signInFrom(database.db, id, undefined, 'ja')
    await prefer(id, 'zh-Hans')
    await notify(id)
    await prefer(id, null)
    await notify(id)
    assert.deepEqual(await languages(email), [
      'account_banned zh-Hans',
      'app_registered zh-Hans',
      'account_banned ja',
      'app_registered ja',
    ])
  })

  it('is in the owner’s language even if it reports a new device that uses another language', async () => {
    const { id, email } = await createRecipient()
    await signInFrom(database.db, id, undefined, 'ja')
    await signInFrom(database.db, id, undefined, 'en')
    await prefer(id, 'zh-Hans')
    await signInFrom(database.db, id, undefined, 'en')
    assert.deepEqual(await languages(email), ['new_device ja', 'new_device zh-Hans'])
  })
})
