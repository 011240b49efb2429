import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { composeMail } from '../src/accounts/mail/compose-mail.ts'
import {
  composeModerationMail,
  isModerationMail,
} from '../src/accounts/mail/compose-moderation-mail.ts'
import { LANGUAGES } from '../src/i18n/languages.ts'
import { messagesIn } from '../src/ui/messages.ts'
import { authorizationRequest, CALLBACK, createClient, signedInAs } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { waitForLink } from '#test/mailbox.ts'
import { routesOf } from '#test/routes.ts'
import { startService, type TestService } from '#test/service.ts'

const NAME = '“R&D” <b>図書館</b>'
const ESCAPED = '“R&amp;D” &lt;b&gt;図書館&lt;/b&gt;'

/** Places where the name of the program stays, because they name the program. */
const SOFTWARE = [
  // Commands, programs and their output.
  /<(pre|code)\b.*?<\/\1>/gs,
  /<(?:a|time|script|link|form|input)\b[^>]*>/g,
  // Format of exported lists.
  ...LANGUAGES.flatMap((language) => {
    const { layout, importPage } = messagesIn(language)
    return [layout.poweredBy, importPage.sources.mokuroku.how, importPage.sources.mokuroku.name]
  }),
]

const leftIn = (text: string) => {
  let rest = text
  for (const part of SOFTWARE) rest = rest.replaceAll(part, '')
  return [...rest.matchAll(/.{0,60}(?:mokuroku|(?<!禁書)目録).{0,40}/gi)].map(([found]) => found)
}

/** Decodes the headers of an email (RFC 2047). */
function headersOf(mail: string): Record<string, string> {
  const [head = ''] = mail.split(/\r?\n\r?\n/)
  const decode = (text: string) =>
    text
      .replaceAll(/\?= +=\?/g, '?==?')
      .replaceAll(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_all, encoding: string, data: string) =>
        encoding.toUpperCase() === 'B'
          ? Buffer.from(data, 'base64').toString()
          : decodeURIComponent(
              data.replaceAll('_', ' ').replaceAll('%', '=25').replaceAll('=', '%'),
            ),
      )
  return Object.fromEntries(
    head
      .replaceAll(/\r?\n[ \t]+/g, ' ')
      .split(/\r?\n/)
      .map((line) => line.split(/: (.*)/s, 2))
      .map(([name = '', value = '']) => [
        name.toLowerCase(),
        decode(value).replaceAll(/(?<!\\)"/g, ''),
      ]),
  )
}

describe('an instance with its own name', () => {
  let service: TestService
  let admin: PlainBrowser
  let password: string
  before(async () => {
    service = await startService({
      environment: {
        INSTANCE_NAME: NAME,
        DEFAULT_LANGUAGE: 'ja',
        ACCENT_COLOR: '#1b7f3b',
        CONTACT: 'https://example.org/contact',
      },
    })
    ;({ password, browser: admin } = await signedInAs(service, 'ADMIN', { name: 'Admin' }))
  })
  after(() => service?.close())

  it('shows no other name on any page, in any language', { timeout: 180_000 }, async () => {
    const paths = [
      ...new Set(
        routesOf(service)
          .filter(({ method }) => method === 'GET')
          .map(({ url }) => url.replace(/:name\b(?=$)/, 'start').replaceAll(/:\w+/g, '1')),
      ),
      '/no-such-page',
      '/api-of-nobody',
    ].filter((path) => !/^\/(?:(?:api|v3|assets|images)\/|random\b)|\*|sign-out/.test(path))
    const guest = new PlainBrowser(service.url)
    const found: string[] = []
    let pages = 0
    for (const browser of [guest, admin])
      for (const path of paths)
        for (const language of browser === admin ? LANGUAGES : ['en', 'ja'])
          await look(browser, `${path}?ui_locales=${language}`)
    const client = await createClient(service, { clientName: 'App', redirectUris: [CALLBACK] })
    const { path } = authorizationRequest(client, { redirect_uri: CALLBACK })
    for (const language of LANGUAGES) await look(admin, `${path}&ui_locales=${language}`)
    await look(admin, '/oidc/session/end')
    assert.deepEqual(found, [])
    assert.ok(pages > 300, String(pages))

    async function look(browser: PlainBrowser, path: string) {
      const { text, headers } = await browser.get(path)
      const type = String(headers.get('content-type'))
      if (!/html|xml/.test(type)) return
      pages += 1
      // The search reads folded text, in which the simplified word for a catalog is the name.
      for (const left of leftIn(text.replaceAll(/ data-text="[^"]*"/g, '')))
        found.push(`${path}: ${left}`)
      if (text.includes('<b>図書館')) found.push(`${path}: not escaped`)
      if (text.startsWith('<!doctype html>') && !text.includes(`· ${ESCAPED}</title>`))
        found.push(`${path}: not in the title`)
    }
  })

  it('names itself in feeds, authenticator apps and passkeys', async () => {
    const feed = await new PlainBrowser(service.url).get('/feeds/new.atom')
    assert.ok(feed.text.includes(`<author><name>${ESCAPED}</name></author>`))
    assert.match(feed.text, /<feed [^>]*xml:lang="ja">/)
    const { text } = await admin.get('/account/security/authenticator')
    const [secretUri = ''] = /otpauth:[^"<]*/.exec(text.replaceAll('&amp;', '&')) ?? []
    assert.equal(new URL(secretUri).searchParams.get('issuer'), NAME)
    const { forms } = await admin.get('/account/security/passkeys')
    const { fields } = forms.find(({ action }) => action === '/account/security/passkeys') ?? {}
    const options = await admin.post('/account/security/passkeys/options', {
      ...fields,
      name: 'Key',
      current_password: password,
    })
    assert.equal((JSON.parse(options.text) as { rp: { name: string } }).rp.name, NAME)
  })

  it('sends emails with its name as the sender, which cannot inject other headers', async () => {
    const browser = new PlainBrowser(service.url)
    const form = await browser.get('/sign-up')
    const email = `own-${Date.now()}@example.org`
    await browser.submit(form, { email, name: 'New', password: 'a long enough one' })
    await waitForLink(service.config.dataDir, email, '/sign-up/confirm')
    const outbox = join(service.config.dataDir, 'outbox')
    const mails = readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'))
    const mail = mails.find((text) => text.includes(email)) ?? ''
    const { from, subject } = headersOf(mail)
    assert.equal(from, `${NAME} <mokuroku@localhost>`)
    assert.equal(subject, `${NAME}: メールアドレスの確認`)
  })

  it('responds in its default language if the client prefers no supported one', async () => {
    for (const [header, language] of [
      ['fr, de;q=0.5', 'ja'],
      ['', 'ja'],
      ['ko', 'ko'],
    ] as const)
      for (const path of ['/', '/sign-in', '/no-such-page', '/oidc/auth?client_id=x']) {
        const response = await fetch(service.url + path, {
          headers: { accept: 'text/html', 'accept-language': header },
        })
        assert.match(await response.text(), new RegExp(`<html lang="${language}"`), path)
      }
  })

  it('shows no other name in any email, in any language', () => {
    const brand = { name: NAME, button: { background: '#000000', text: '#ffffff' } }
    for (const language of LANGUAGES) {
      const { mails, moderationMails } = messagesIn(language, NAME)
      for (const kind of [...Object.keys(mails), ...Object.keys(moderationMails)]) {
        const mail = isModerationMail(kind)
          ? composeModerationMail(kind, language, 'https://a.example', { note: 'x' }, brand)
          : // as: a key of the messages
            composeMail(kind as 'test', language, { link: 'https://a.example' }, brand)
        assert.ok(mail.subject.startsWith(`${NAME}: `), kind)
        assert.match(mail.html, new RegExp(ESCAPED))
        const texts = [mail.subject, mail.text, mail.html].map((text) =>
          text.replaceAll('mokuroku mail test', ''),
        )
        assert.deepEqual(texts.flatMap(leftIn), [], `${language} ${kind}`)
      }
    }
  })
})
