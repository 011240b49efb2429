import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { messagesIn } from './messages.ts'
import { deviceName } from './device-name.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const BROWSERS: Record<string, string> = {
  'Firefox on Windows':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Chrome on macOS': `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
  'Edge on Windows': `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
  'Safari on iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Chrome on iPhone':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
  'Samsung Internet on Android': `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  'Chrome on Linux': `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/140.0.0.0 Safari/537.36`,
}

describe('deviceName', () => {
  it('names the actual browser, not the others that it claims to be', () => {
    for (const [name, userAgent] of Object.entries(BROWSERS))
      assert.equal(deviceName(messagesIn('en'), userAgent), name)
  })

  it('returns a name in the user’s language, without text from the header', () => {
    assert.equal(
      deviceName(messagesIn('ja'), BROWSERS['Firefox on Windows'] ?? ''),
      'Windows の Firefox',
    )
    for (const odd of ['', 'curl/8.5.0', '<script>'])
      assert.equal(deviceName(messagesIn('en'), odd), 'Unknown browser')
  })
})
