import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../i18n/languages.ts'
import { newWebhookSecret, webhookHeaders } from './signature.ts'

describe('the signature', () => {
  it('matches Standard Webhooks', () => {
    const headers = webhookHeaders(
      {
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestamp: 1_614_265_330,
        body: '{"test": 2432232314}',
      },
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    )
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })
})

describe('the code in the guide', () => {
  it('accepts genuine requests only, in every language', async () => {
    for (const language of LANGUAGES) {
      const page = new URL(`../i18n/locales/${language}/guide/webhooks.md`, import.meta.url)
      const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(page, 'utf8')) ?? []
      // as: what the code exports
      const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
        isGenuine(headers: object, body: string, secret: string): boolean
      }
      const secrets = [newWebhookSecret(), newWebhookSecret()]
      const [first = '', second = ''] = secrets
      const at = (age: number) =>
        webhookHeaders(
          { id: 'msg_1', timestamp: Math.floor(Date.now() / 1_000) - age, body: '{}' },
          secrets,
        )
      assert.ok(isGenuine(at(0), '{}', first) && isGenuine(at(0), '{}', second))
      assert.ok(!isGenuine(at(0), '{ }', first))
      assert.ok(!isGenuine(at(0), '{}', newWebhookSecret()))
      assert.ok(!isGenuine(at(1_000), '{}', first))
    }
  })
})
