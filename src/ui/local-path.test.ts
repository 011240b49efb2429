import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { localPath } from './local-path.ts'

describe('localPath', () => {
  it('keeps the path as written, except for the removed parameters', () => {
    assert.equal(localPath('/a/b', []), '/a/b')
    assert.equal(localPath('/a?x=%20+&lang=ja&y', ['lang']), '/a?x=%20+&y')
    assert.equal(localPath('/a?lang', ['lang']), '/a')
    assert.equal(localPath('/a?language=1&slang=2&lang=', ['lang']), '/a?language=1&slang=2')
  })

  it('drops the query or the path if it is too long', () => {
    const long = 'x'.repeat(9_000)
    assert.equal(localPath(`/a?q=${long}`, []), '/a')
    assert.equal(localPath(`/a?q=${long}&lang=ja`, ['q']), '/a?lang=ja')
    assert.equal(localPath(`/${long}?q=1`, []), '/')
    const max = `/a?q=${'x'.repeat(1_995)}`
    assert.equal(localPath(max, []), max)
  })

  it('never returns a URL that a browser resolves to another host', () => {
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
      const path = localPath(target, ['lang'])
      assert.match(path, /^\/(?![/\\])/, target)
      assert.equal(new URL(path, 'https://ours.example').origin, 'https://ours.example', target)
    }
  })
})
