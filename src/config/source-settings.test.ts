import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig, readProxySettings } from './config.ts'
import { findUnknownSettings } from './unknown-settings.ts'

describe('picture mirrors', () => {
  it('are base URLs keyed by origin, over https or in a private network', () => {
    assert.deepEqual(
      readConfig({
        PICTURE_MIRRORS:
          'https://lain.bgm.tv=https://mirror.example/bgm/, https://t.vndb.org=http://[::1]:81',
      }).pictureMirrors,
      new Map([
        ['https://lain.bgm.tv', 'https://mirror.example/bgm'],
        ['https://t.vndb.org', 'http://[::1]:81'],
      ]),
    )
  })
})

describe('the proxy settings', () => {
  it('are read from variables in upper or lower case, and need no scheme', () => {
    assert.deepEqual(readProxySettings({}), {
      httpsProxy: undefined,
      httpProxy: undefined,
      noProxy: [],
    })
    assert.deepEqual(
      readProxySettings({
        HTTPS_PROXY: 'https://user:p%40ss@proxy:3128/',
        https_proxy: 'http://other:3128',
        http_proxy: 'proxy.example:3128',
        no_proxy: 'Example.org, *.example.com 10.1.2.3:80,[::1],,10.0.0.0/8,*',
      }),
      {
        httpsProxy: 'https://user:p%40ss@proxy:3128/',
        httpProxy: 'http://proxy.example:3128',
        noProxy: ['example.org', '.example.com', '10.1.2.3:80', '[::1]', '10.0.0.0/8', '*'],
      },
    )
  })

  it('exempt IPv6 addresses from the proxy, in any notation', () => {
    const { noProxy } = readProxySettings({
      NO_PROXY: '2001:DB8:0::1,[2001:db8::0:2],[2001:db8::3]:443',
    })
    assert.deepEqual(noProxy, ['[2001:db8::1]', '[2001:db8::2]', '[2001:db8::3]:443'])
  })

  it('are recognized in upper and lower case, and variables of other programs cause no warning', () => {
    const known = { HTTPS_PROXY_FILE: 'x', https_proxy: 'x', no_proxy: 'x', ftp_proxy: 'x' }
    assert.deepEqual(findUnknownSettings(known, '/nonexistent'), [])
    assert.match(findUnknownSettings({ HTTPS_PROX: 'x' }, '/nonexistent').join(), /HTTPS_PROXY/)
  })
})
