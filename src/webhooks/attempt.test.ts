import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fetchForApps } from '../outbound/fetch-for-apps.ts'
import { attemptDelivery } from './attempt.ts'

describe('an attempt at a delivery', () => {
  const attempt = (url: string, addresses: string[]) => {
    const resolved = [...addresses]
    return attemptDelivery(
      {
        send: fetchForApps('https://id.example.org', async () => [
          { address: resolved.shift() ?? '', family: 4 },
        ]),
        isLocal: false,
        secretKey: undefined,
        now: Date.now,
      },
      {
        id: 1,
        endpoint_id: 1,
        owner_id: null,
        message_id: 'msg_1',
        event: 'webhook.test',
        data: {},
        created_at: new Date(),
        attempts: 1,
        url,
        secret: 'whsec_AAAA',
        previous_secret: null,
        is_allowed: true,
      },
    )
  }

  it('contacts no private address, whatever a name resolves to', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.0.1']) {
      const { isAccepted, status, error } = await attempt('https://app.example.org/', [address])
      assert.deepEqual([isAccepted, status], [false, null])
      assert.match(error ?? '', /non-public address/)
    }
    // A name that was public when the endpoint was saved may point elsewhere now.
    for (const url of ['https://10.0.0.1/', 'https://[::1]/', 'http://app.example.org/'])
      assert.equal((await attempt(url, ['127.0.0.1'])).isAccepted, false, url)
  })
})
