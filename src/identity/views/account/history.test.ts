import assert from 'node:assert/strict'
import { it } from 'node:test'
import { EVENT_KINDS } from '../../../audit/events.ts'
import { LANGUAGES } from '../../../i18n/languages.ts'
import { messagesIn } from '../../../ui/messages.ts'

/** Event without an account, or of a deleted account. */
const OF_NOBODY = /^(keys_|entr|match_|mail_|reports_|account_deleted)/

it('an account’s history has text for each kind of event', () => {
  for (const language of LANGUAGES) {
    const known = Object.keys(messagesIn(language).kindNames.events)
    const missing = EVENT_KINDS.filter((kind) => !OF_NOBODY.test(kind) && !known.includes(kind))
    assert.deepEqual(missing, [], language)
  }
})
