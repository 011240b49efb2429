import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultOfRedirectUri } from './redirect-uris.ts'

describe('a redirect URI', () => {
  for (const uri of [
    'https://app.example.org/callback',
    'https://app.example.org',
    'https://app.example.org:8443/cb?from=mokuroku',
    'https://localhost/cb',
    'http://localhost:3000/cb',
    'http://127.0.0.1:14791/callback',
    'http://[::1]:8080/cb',
    'com.example.app:/cb',
    'my-app://cb',
    'myapp://auth/cb',
    'x+y.z-1:/cb',
  ])
    it(`can be ${uri}`, () => assert.equal(faultOfRedirectUri(uri), undefined))

  for (const uri of [
    '',
    'callback',
    '/callback',
    '//app.example.org/cb',
    'https://',
    'https:app.example.org/cb',
    'https:/app.example.org/cb',
    'http://app.example.org/cb',
    'http://127.0.0.1.example.org/cb',
    'http://127.0.0.2/cb',
    'http://localhost.example.org/',
    'https://app.example.org/cb#',
    'https://app.example.org/cb#part',
    'my-app://cb#part',
    'https://user@app.example.org/cb',
    'https://user:password@app.example.org/cb',
    'https://@app.example.org/cb',
    'my-app://user@cb',
    'https://*.example.org/cb',
    'https://app.example.org/*',
    'https://app.example.org/c b',
    'https://app.example.org/cb\n',
    'https://app.exa\tmple.org/cb',
    'https://app.example.org\\cb',
    'https://app.example.org/\u0000',
    'https://app.example.org/\u0085',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://app.example.org/1',
    'vbscript:x',
    'about:blank',
    'ftp://app.example.org/cb',
    'ws://app.example.org/cb',
    'wss://app.example.org/cb',
    'view-source:https://app.example.org/cb',
    'intent://app.example.org/cb',
    'mailto:a@example.org',
    'https://app.example.org/\u202e',
    'https://app.example.org/\u200b',
    `https://app.example.org/${'x'.repeat(2_048)}`,
  ])
    it(`cannot be ${JSON.stringify(uri.slice(0, 50))}`, () =>
      assert.match(faultOfRedirectUri(uri)?.code ?? 'accepted', /^uri\./))

  it('has at most 2048 characters', () => {
    const longest = 'https://app.example.org/'.padEnd(2_048, 'x')
    assert.equal(faultOfRedirectUri(longest), undefined)
    assert.deepEqual(faultOfRedirectUri(`${longest}x`), { code: 'uri.too_long' })
  })
})
