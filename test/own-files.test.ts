import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { readConfig } from '../src/config/config.ts'
import { openInstance } from '../src/instance/instance.ts'
import {
  authorizationRequest,
  CALLBACK,
  createClient,
  createUser,
  signedInBrowser,
} from '#test/authorization.ts'
import { findFaultsOfBothThemes } from '#test/axe.ts'
import { PlainBrowser } from '#test/browser.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareChromium } from '#test/shared-chromium.ts'

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><rect width="90" height="30"/></svg>'
const folder = scratchFolder('own-files-')
const write = (name: string, content: string | Buffer) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const openWith = (settings: NodeJS.ProcessEnv) => openInstance(readConfig(settings))

describe('files of an instance', () => {
  let service: TestService
  before(async () => {
    const terms = write(
      'terms.md',
      '# Terms\n\n## Scope\n\nBe kind. <script>alert(1)</script>\n\n|a|b|\n|-|-|\n|1|2|\n',
    )
    write('terms.ja.md', '# 規約\n\n親切に。')
    service = await startService({
      environment: {
        INSTANCE_NAME: 'Library',
        INSTANCE_LOGO: write('logo.svg', LOGO),
        ACCENT_COLOR: '#ffd400',
        TERMS_FILE: terms,
        PRIVACY_FILE: write('privacy.md', 'No title here.'),
        CONTACT: 'mailto:help@example.org',
      },
    })
  })
  after(async () => {
    await service?.close()
    removeFolder(folder)
  })
  const get = (path: string, language = 'en') =>
    fetch(service.url + path, {
      headers: { accept: 'text/html', 'accept-language': language },
      redirect: 'manual',
    })

  it('are shown as pages in the language of the viewer, or else in the default language', async () => {
    const english = await (await get('/terms')).text()
    assert.match(english, /<title>Terms · Library<\/title>/)
    assert.match(english, /<h1>Terms<\/h1>\n<h2 id="scope">/)
    assert.match(english, /&lt;script&gt;/)
    const japanese = await (await get('/terms', 'ja')).text()
    assert.match(japanese, /<title>規約 · Library<\/title>/)
    assert.match(japanese, /親切に。/)
    const korean = await (await get('/terms', 'ko')).text()
    assert.match(korean, /<title>이용약관 · Library<\/title>/)
    assert.match(korean, /<article class="[^"]*" lang="en">\n<h1>Terms<\/h1>/)
    assert.match(await (await get('/privacy')).text(), /<h1>Privacy policy<\/h1>\n<p>No title here/)
    assert.equal((await get('/imprint')).status, 404)
    assert.match(await (await get('/sitemaps/pages.xml')).text(), /\/terms</)
  })

  it('are linked from every page, sign-up, consent, discovery and the API description', async () => {
    for (const path of ['/', '/sign-in', '/no-such-page', '/oidc/auth?client_id=x', '/docs']) {
      const [, foot = ''] = (await (await get(path)).text()).split('<footer')
      for (const href of ['/terms', '/privacy', 'mailto:help@example.org'])
        assert.ok(foot.includes(`<a href="${href}"`), `${path} ${href}`)
      assert.doesNotMatch(foot, /imprint/)
    }
    const signUp = await (await get('/sign-up')).text()
    assert.match(
      signUp,
      /you accept the <a href="\/terms"[^>]*>terms of service<\/a> and the <a href="\/privacy"/,
    )
    const client = await createClient(service, { clientName: 'App', redirectUris: [CALLBACK] })
    const browser = await signedInBrowser(service, await createUser(service))
    const consent = await browser.get(authorizationRequest(client, { redirect_uri: CALLBACK }).path)
    assert.match(
      consent.text,
      /Library: <a href="\/terms"[^>]*>Terms of service<\/a> · <a href="\/privacy"/,
    )
    const discovery = (await (
      await get('/oidc/.well-known/openid-configuration')
    ).json()) as Record<string, unknown>
    assert.equal(discovery['op_tos_uri'], `${service.url}/terms`)
    assert.equal(discovery['op_policy_uri'], `${service.url}/privacy`)
    const { info } = (await (await get('/openapi.json')).json()) as {
      info: { termsOfService: string; contact: object }
    }
    assert.equal(info.termsOfService, `${service.url}/terms`)
    assert.deepEqual(info.contact, { email: 'help@example.org' })
  })

  it('include a logo that is served forever and cannot run scripts', async () => {
    const home = await (await get('/')).text()
    const [, src = ''] =
      /<a class="brand" href="\/"><img src="([^"]*)" width="108" height="36" alt="Library"><\/a>/.exec(
        home,
      ) ?? []
    assert.match(src, /^\/assets\/logo\.svg\?v=/)
    const logo = await get(src)
    assert.equal(logo.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.match(String(logo.headers.get('content-security-policy')), /default-src 'none'.*sandbox/)
    assert.equal(logo.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(await logo.text(), LOGO)
    assert.match(
      home,
      /<link rel="icon" href="\/assets\/favicon\.svg\?v=[^"]*" type="image\/svg\+xml">/,
    )
    const ico = Buffer.from(await (await get('/assets/favicon.ico')).arrayBuffer())
    assert.deepEqual([...ico.subarray(0, 8)], [0, 0, 1, 0, 3, 0, 16, 16])
    const picture = await sharp(ico.subarray(ico.readUInt32LE(6 + 12)))
      .metadata()
      .catch(String)
    assert.equal(typeof picture === 'string' ? picture : picture.width, 16)
  })

  it('keep pages readable in both themes', { skip: chromiumMissing() }, async () => {
    const browser = await shareChromium()
    const page = await browser.newPage()
    const faults: string[] = []
    for (const path of ['/', '/sign-up', '/terms', '/galgames', '/no-such-page']) {
      await page.goto(service.url + path)
      for (const fault of await findFaultsOfBothThemes(page)) faults.push(`${path}: ${fault}`)
    }
    assert.deepEqual(faults, [])
    await browser.close()
  })

  it('include a raster logo only in a small version without metadata', async () => {
    const photo = sharp({ create: { width: 400, height: 400, channels: 4, background: '#1b7f3b' } })
    const bytes = await photo
      .withMetadata()
      .withExif({ IFD0: { Copyright: 'Secret' } })
      .png()
      .toBuffer()
    const { assets, site } = await openWith({ INSTANCE_LOGO: write('logo.png', bytes) })
    const { logo, icons } = site((name) => name)
    assert.deepEqual(logo, { url: 'logo.webp', width: 36, height: 36, isWordmark: false })
    assert.deepEqual(icons, [{ url: 'favicon.png', type: 'image/png' }])
    const metadata = await sharp(assets.get('logo.webp')).metadata()
    assert.deepEqual([metadata.width, metadata.height, metadata.exif], [96, 96, undefined])
  })

  it('prevent startup if they cannot be used, with a one-line error that states the reason', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.md')])
    mkdirSync(join(folder, 'folder.md'))
    const cases: [setting: string, path: string, reason: RegExp][] = [
      ['TERMS_FILE', join(folder, 'missing.md'), /ENOENT/],
      ['PRIVACY_FILE', join(folder, 'folder.md'), /EISDIR|not a file/],
      ['IMPRINT_FILE', join(folder, 'pipe.md'), /not a file/],
      ['IMPRINT_FILE', '/dev/zero', /not a file/],
      ['TERMS_FILE', write('large.md', 'x'.repeat(10 * 2 ** 20)), /more than 256 KiB/],
      ['TERMS_FILE', write('latin.md', Buffer.from([0x41, 0xe9, 0x42])), /not valid|encoded/],
      ['INSTANCE_LOGO', join(folder, 'missing.svg'), /ENOENT/],
      ['INSTANCE_LOGO', write('page.svg', '<html></html>'), /not an SVG, PNG or WebP/],
      [
        'INSTANCE_LOGO',
        write('evil.svg', LOGO.replace('<rect', '<script/><rect')),
        /element script/,
      ],
      [
        'INSTANCE_LOGO',
        write('torn.png', Buffer.from('\x89PNG\r\n\x1a\nxxxx', 'latin1')),
        /cannot be used/,
      ],
      ['INSTANCE_LOGO', write('large.svg', LOGO + ' '.repeat(600_000)), /more than 512 KiB/],
      [
        'INSTANCE_LOGO',
        write('sizeless.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
        /viewBox/,
      ],
    ]
    for (const [setting, path, reason] of cases)
      await assert.rejects(
        openWith({ [setting]: path }),
        ({ name, message }: Error) => {
          assert.equal(name, 'ConfigError', message)
          assert.match(message, new RegExp(`^${setting} (is|needs) "`))
          assert.match(message, reason)
          assert.doesNotMatch(message, /\n/)
          return true
        },
        path,
      )
    await assert.rejects(
      openWith({ TERMS_FILE: (mkdirSync(join(folder, 'a.ja.md')), write('a.md', 'A')) }),
      /TERMS_FILE needs ".*a\.ja\.md"/,
      'a translation that cannot be read',
    )
  })

  it('are configured together with an accent color and a name, which must be valid', () => {
    for (const color of [
      'red',
      '#12345',
      '#11223344',
      'rgb(1,2,3)',
      '#000;}*{display:none',
      '#fff\n',
    ])
      assert.throws(
        () => readConfig({ ACCENT_COLOR: color }),
        /ACCENT_COLOR must be one opaque/,
        color,
      )
    assert.equal(readConfig({ ACCENT_COLOR: '#ABC' }).accentColor, '#aabbcc')
    for (const name of [
      'a\nBcc: x@y.example',
      'a\r\nb',
      '\u202egnp',
      'x'.repeat(41),
      ' ',
      'a\u0000',
    ])
      assert.throws(
        () => readConfig({ INSTANCE_NAME: name }),
        /INSTANCE_NAME must be one line/,
        name,
      )
    assert.equal(readConfig({ INSTANCE_NAME: '👩‍👩‍👧 図書館' }).instanceName, '👩‍👩‍👧 図書館')
    const { mailFrom } = readConfig({ INSTANCE_NAME: 'A "B" <c@d.example>, e\\' })
    assert.equal(mailFrom, String.raw`"A \"B\" <c@d.example>, e\\" <mokuroku@localhost>`)
  })

  it('are linked only if they are configured', async () => {
    const plain = await startService()
    try {
      const home = await (await fetch(plain.url, { headers: { accept: 'text/html' } })).text()
      assert.doesNotMatch(home, /\/terms|\/privacy|\/imprint|Powered/)
      assert.match(
        home,
        /<a class="brand" href="\/"><img src="\/assets\/favicon\.svg\?v=[^"]*" width="28" height="28" alt=""><span class="site-name">mokuroku <span lang="ja">目録<\/span><\/span><\/a>/,
      )
      const browser = new PlainBrowser(plain.url)
      assert.equal((await browser.get('/terms')).status, 404)
    } finally {
      await plain.close()
    }
  })
})
