import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { localAddress } from './local-address.ts'

describe('the address of a request on this service', () => {
  it('is as it was written, without the parameters that are taken out', () => {
    assert.equal(localAddress('/a/b', []), '/a/b')
    assert.equal(localAddress('/a?x=%20+&lang=ja&y', ['lang']), '/a?x=%20+&y')
    assert.equal(localAddress('/a?lang', ['lang']), '/a')
    assert.equal(localAddress('/a?language=1&slang=2&lang=', ['lang']), '/a?language=1&slang=2')
  })

  it('loses what is too long to be repeated', () => {
    const long = 'x'.repeat(9_000)
    assert.equal(localAddress(`/a?q=${long}`, []), '/a')
    assert.equal(localAddress(`/a?q=${long}&lang=ja`, ['q']), '/a?lang=ja')
    assert.equal(localAddress(`/${long}?q=1`, []), '/')
    const most = `/a?q=${'x'.repeat(1_995)}`
    assert.equal(localAddress(most, []), most)
  })

  it('is never one a browser would take for another host', () => {
    const targets = [
      '//evil.example/a?lang=ja',
      '///evil.example/a',
      '/\\evil.example/a',
      '\\\\evil.example/a',
      '/.//evil.example/a',
      '/x/..//evil.example/a',
      '/\t/evil.example/a',
      'http://evil.example//evil.example/a',
      'https:evil.example/a',
      'javascript:alert(1)',
      '//[',
      '',
    ]
    for (const target of targets) {
      const address = localAddress(target, ['lang'])
      assert.match(address, /^\/(?![/\\])/, target)
      assert.equal(new URL(address, 'https://ours.example').origin, 'https://ours.example', target)
    }
  })
})
