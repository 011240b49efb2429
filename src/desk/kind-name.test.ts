import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { signedInAs } from '#test/authorization.ts'
import type { PlainBrowser } from '#test/browser.ts'
import { startService, type TestService } from '#test/service.ts'
import { EVENT_KINDS } from '../audit/events.ts'
import { queryText } from '../db/query.ts'
import { findDatabaseHealth } from '../operations/database-health-queries.ts'
import { LANGUAGES } from '../i18n/languages.ts'
import { messagesIn } from '../ui/messages.ts'

describe('names of kinds at the desk', () => {
  let service: TestService
  let admin: PlainBrowser
  before(async () => {
    service = await startService()
    admin = (await signedInAs(service, 'ADMIN')).browser
  })
  after(() => service?.close())

  it('exist for every kind of event, email and queue in every language', async () => {
    const { pending } = await findDatabaseHealth(service.db)
    const { mails, moderationMails } = messagesIn('en')
    const known = {
      events: EVENT_KINDS,
      mails: [mails, moderationMails].flatMap(Object.keys),
      queues: Object.keys(pending),
    }
    for (const language of LANGUAGES) {
      const { kindNames } = messagesIn(language)
      for (const part of ['events', 'mails', 'queues'] as const) {
        const names = new Map<string, string>(Object.entries(kindNames[part]))
        assert.deepEqual(
          [...names.keys()].toSorted(),
          known[part].toSorted(),
          `${language} ${part}`,
        )
        assert.equal(
          new Set(names.values()).size,
          names.size,
          `${language} ${part}: one name, one kind`,
        )
      }
    }
  })

  it("appear in the viewer's language next to the stored kind", async () => {
    await queryText(
      service.db,
      `insert into audit_events (kind, details) values ('keys_rotated', '{}'), ('of_an_older_version', '{}')`,
      [],
    )
    await queryText(
      service.db,
      `insert into mails (kind, email, language, details, attempts, failed_at)
       values ('app_enabled', 'a@b.example', 'ja', '{"note": "", "what": "A"}', 10, now())`,
      [],
    )
    const shown = async (path: string) => (await admin.get(path)).text
    const log = await shown('/desk/log?ui_locales=ja')
    assert.match(log, /署名鍵の更新 <code>keys_rotated<\/code>/)
    assert.match(log, /<td[^>]*><code>of_an_older_version<\/code>/)
    assert.match(log, /<option value="keys_rotated">署名鍵の更新 \(keys_rotated\)<\/option>/)
    assert.match(
      await shown('/desk/log?kind=keys_rotated'),
      /<option value="keys_rotated" selected>Signing keys rotated \(keys_rotated\)</,
    )
    assert.match(
      await shown('/desk/mails?ui_locales=zh-Hans'),
      /应用重新启用的通知 <code>app_enabled<\/code>/,
    )
    assert.match(
      await shown('/desk/health?ui_locales=ja'),
      /未集計の評価 <code>rating_deltas<\/code>/,
    )
  })
})
