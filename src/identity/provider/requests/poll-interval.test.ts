import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { enforcePollInterval } from './poll-interval.ts'

describe('a device that polls for its tokens', () => {
  let clock = 0
  /** Returns the error of a poll at that time. */
  function send(enforce: ReturnType<typeof enforcePollInterval>, code: string, at: number) {
    clock = at
    // as: the code reads only these parts of a request
    const ctx = {
      oidc: { route: 'token', params: { device_code: code } },
      body: { error: 'authorization_pending' },
    } as unknown as KoaContextWithOIDC
    enforce(ctx)
    return (ctx.body as { error: string }).error
  }

  it('receives slow_down when it polls again within half a second', () => {
    const enforce = enforcePollInterval(() => clock)
    const errors = [0, 499, 999, 1_498].map((at) => send(enforce, 'code', at))
    assert.deepEqual(errors, [
      'authorization_pending',
      'slow_down',
      'authorization_pending',
      'slow_down',
    ])
    assert.equal(send(enforce, 'other', 1_498), 'authorization_pending')
  })

  it('is forgotten once ten thousand other devices have polled more recently', () => {
    const enforce = enforcePollInterval(() => clock)
    for (let number = 0; number < 10_000; number += 1) send(enforce, `${number}`, 0)
    assert.equal(send(enforce, '0', 1), 'slow_down')
    // Device 1 is now the one that polled least recently.
    send(enforce, 'one more', 1)
    assert.equal(send(enforce, '0', 2), 'slow_down')
    assert.equal(send(enforce, '1', 2), 'authorization_pending')
  })
})
