import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import Fastify, {
  type FastifyInstance,
  type InjectOptions,
  type LightMyRequestResponse,
} from 'fastify'
import { pino } from 'pino'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { unavailable } from '../../http/wire/errors/refusals.ts'
import { PageError } from './errors.ts'
import { html } from '../html.ts'
import { PAGE_HEADERS } from './page.ts'
import { pages } from './plugin.ts'
import { sendPage } from './send-page.ts'

const ORIGIN = 'https://id.example'
const KEYS = ['first-key-of-the-tests-0123456789', 'second-key-of-the-tests-012345678']
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Line = { err?: { message: string }; path?: string; status?: number }

async function open({ secure = true, cookieKeys = KEYS } = {}) {
  const logged: Line[] = []
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const app = Fastify()
  app.addHook('onRequest', (request, _reply, done) =>
    done(request.headers['x-closing'] ? unavailable() : undefined),
  )
  await app.register(async (scope) => {
    await pages(scope, { cookieKeys, origin: ORIGIN, secure, log })
    scope.get('/form', (request, reply) => {
      const { page } = request
      return sendPage(request, reply, {
        title: 'Form',
        body: html`${page.csrfField()}${page.csrfField()}`,
      })
    })
    scope.route({
      method: ['POST', 'PUT', 'DELETE'],
      url: '/form',
      handler: (request, reply) =>
        sendPage(request, reply, {
          title: 'Done',
          body: html`${JSON.stringify(request.body)}`,
          status: 201,
        }),
    })
    scope.post('/post-only', (request, reply) =>
      sendPage(request, reply, { title: 'Done', body: html`` }),
    )
    scope.get('/refused', () => {
      throw new PageError(409, '<Taken>', 'That name & address')
    })
    scope.get('/crash', () => {
      throw new Error('secret detail')
    })
    scope.get('/limited', () => {
      throw new ApiError(
        'COMMON_RATE_LIMITED',
        { code: 'request.other', params: { message: 'for developers' } },
        { headers: { 'retry-after': '7' } },
      )
    })
    scope.get('/unavailable', () => {
      throw unavailable()
    })
    scope.get('/anything/*', (request, reply) =>
      sendPage(request, reply, { title: 'Any', body: html`` }),
    )
  })
  app.get('/api', () => ({ ok: true }))
  app.post('/api', ({ body }) => body)
  await app.ready()
  return { app, logged }
}

const tokensIn = (response: LightMyRequestResponse) =>
  [...response.body.matchAll(/name="_csrf" value="([^"]+)"/g)].map(([, token = '']) => token)

/** Returns the cookies that a browser would send back. */
const cookiesOf = (response: LightMyRequestResponse) =>
  Object.fromEntries(response.cookies.map(({ name, value }) => [name, value]))

describe('pages', () => {
  let app: FastifyInstance
  let logged: Line[]
  before(async () => {
    const opened = await open()
    app = opened.app
    logged = opened.logged
  })
  after(() => app.close())

  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

  /** Loads the form, then submits it as a browser does. */
  async function submit({
    headers,
    fields,
    ...options
  }: Partial<InjectOptions> & { fields?: Record<string, string> } = {}) {
    const form = await get('/form')
    return app.inject({
      method: 'POST',
      url: '/form',
      cookies: cookiesOf(form),
      headers: { ...FORM, ...headers },
      payload: new URLSearchParams({ _csrf: tokensIn(form)[0] ?? '', ...fields }).toString(),
      ...options,
    })
  }

  describe('accept', () => {
    it('a form with its CSRF token', async () => {
      const response = await submit({ fields: { name: 'Ryo' } })
      assert.equal(response.statusCode, 201)
      assert.match(response.body, /Ryo/)
    })

    it('a form from the same origin, or from a browser that does not send its origin', async () => {
      const requests = [
        { origin: ORIGIN },
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
        { origin: ORIGIN, 'sec-fetch-site': 'same-origin' },
        {},
      ]
      for (const headers of requests)
        assert.equal((await submit({ headers })).statusCode, 201, JSON.stringify(headers))
    })

    it('one token for both forms on a visitor’s first page', async () => {
      const form = await get('/form')
      assert.equal(new Set(tokensIn(form)).size, 1)
      assert.equal(form.cookies.length, 1)
    })

    it('a cookie that was signed with the previous key', async () => {
      const { app: older } = await open({ cookieKeys: KEYS.slice(1) })
      const form = await older.inject('/form')
      const cookies = cookiesOf(form)
      const payload = new URLSearchParams({ _csrf: tokensIn(form)[0] ?? '' }).toString()
      const response = await app.inject({
        method: 'POST',
        url: '/form',
        cookies,
        headers: FORM,
        payload,
      })
      assert.equal(response.statusCode, 201)
      await older.close()
    })
  })

  describe('respond with 403', () => {
    async function refused(response: LightMyRequestResponse) {
      assert.equal(response.statusCode, 403)
      assert.equal(response.headers['content-type'], PAGE_HEADERS['content-type'])
      assert.match(response.body, /couldn’t verify that you sent this form/)
    }

    it('to every unsafe method without a token', async () => {
      for (const method of ['POST', 'PUT', 'DELETE'] as const) {
        await refused(await submit({ method, payload: 'name=Ryo' }))
        await refused(
          await app.inject({ method, url: '/form', cookies: cookiesOf(await get('/form')) }),
        )
      }
      await refused(await submit({ url: '/post-only', payload: 'a=1' }))
    })

    it('to a token without its cookie, with another user’s cookie, or with an unsigned one', async () => {
      const other = cookiesOf(await get('/form'))
      await refused(await submit({ cookies: {} }))
      await refused(await submit({ cookies: other }))
      const unsigned = Object.entries(other).map(([name, value]) => [
        name,
        value.split('.')[0] ?? '',
      ])
      await refused(await submit({ cookies: Object.fromEntries(unsigned) }))
    })

    it('to a cookie and token that were made with an unknown key', async () => {
      const { app: foreign } = await open({ cookieKeys: ['a-key-nobody-here-knows-0123456789'] })
      const form = await foreign.inject('/form')
      const payload = new URLSearchParams({ _csrf: tokensIn(form)[0] ?? '' }).toString()
      await refused(await submit({ cookies: cookiesOf(form), payload }))
      await foreign.close()
    })

    it('to an invented token, to several tokens, and to a token that is only in a header', async () => {
      await refused(await submit({ fields: { _csrf: 'made-up' } }))
      const form = await get('/form')
      const [token = ''] = tokensIn(form)
      const cookies = cookiesOf(form)
      await refused(await submit({ cookies, payload: `_csrf=${token}&_csrf=${token}` }))
      await refused(await submit({ cookies, payload: 'a=1', headers: { 'csrf-token': token } }))
    })

    it('to a request from another origin with a valid token', async () => {
      const requests = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'http://id.example' },
        { origin: `${ORIGIN}.evil.example` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
      ]
      for (const headers of requests) await refused(await submit({ headers }))
    })
  })

  describe('reject', () => {
    it('bodies that are not forms, with 415', async () => {
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
        const response = await submit({ headers: { 'content-type': type }, payload: '{}' })
        assert.equal(response.statusCode, 415, type)
        assert.match(response.body, /^<!doctype html>/)
      }
    })

    it('NUL characters in any part of a request, with 422', async () => {
      assert.equal((await submit({ fields: { name: 'a\0b' } })).statusCode, 422)
      assert.equal((await submit({ fields: { 'a\0b': 'name' } })).statusCode, 422)
      assert.equal((await get('/form?name=%00')).statusCode, 422)
      const twice = await submit({ payload: 'name=a&name=%00' })
      assert.equal(twice.statusCode, 422)
    })

    it('forms that are not in UTF-8, with 422', async () => {
      for (const value of ['%ff', '%E6%9C', '%zz', Buffer.from([0xe6, 0x9c])])
        for (const payload of [
          Buffer.concat([Buffer.from('name=a'), Buffer.from(value)]),
          Buffer.concat([Buffer.from(value), Buffer.from('=a')]),
        ]) {
          const response = await submit({ payload })
          assert.equal(response.statusCode, 422)
          assert.match(response.body, /couldn’t read what you sent/)
        }
      const unusual = await submit({ fields: { name: '日本 100%\ufffd🌸' } })
      assert.equal(unusual.statusCode, 201)
      assert.match(unusual.body, /日本 100%\ufffd🌸/)
    })

    it('bodies over 192 KiB, with 413', async () => {
      const response = await submit({ fields: { text: 'x'.repeat(192 * 1024) } })
      assert.equal(response.statusCode, 413)
      assert.match(response.body, /too long/)
    })
  })

  describe('set', () => {
    it('secure, HTTP-only cookies that browsers omit from cross-site form submissions', async () => {
      const header = String((await get('/form')).headers['set-cookie'])
      assert.match(header, /^__Host-csrf=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      const language = String((await get('/form?lang=ja')).headers['set-cookie'])
      assert.match(
        language,
        /^mokuroku-lang=ja; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    })

    it('cookies that also work without https', async () => {
      const { app: plain } = await open({ secure: false })
      const header = String((await plain.inject('/form')).headers['set-cookie'])
      assert.match(header, /^mokuroku-csrf=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
      await plain.close()
    })
  })

  describe('respond', () => {
    it('with all page headers, even to errors', async () => {
      for (const url of ['/form', '/refused', '/crash']) {
        const { headers } = await get(url)
        for (const [name, value] of Object.entries(PAGE_HEADERS))
          assert.equal(headers[name], value, `${url} ${name}`)
        assert.ok(headers['x-request-id'])
      }
    })

    it('with the escaped message of a PageError', async () => {
      const response = await get('/refused')
      assert.equal(response.statusCode, 409)
      assert.match(response.body, /<h1>&lt;Taken&gt;<\/h1>/)
      assert.match(response.body, /That name &amp; address/)
    })

    it('without the details of a failure, which are logged', async () => {
      logged.length = 0
      const response = await get('/crash?token=secret')
      assert.equal(response.statusCode, 500)
      assert.doesNotMatch(response.body.replaceAll(/<footer[\s\S]*/g, ''), /secret/)
      assert.ok(response.body.includes(`<code>${String(response.headers['x-request-id'])}</code>`))
      const [line] = logged
      assert.equal(line?.err?.message, 'secret detail')
      assert.equal(line.path, '/crash')
    })

    it('with an error page if the service is busy, even before the page scope runs', async () => {
      const limited = await get('/limited')
      assert.equal(limited.statusCode, 429)
      assert.equal(limited.headers['retry-after'], '7')
      assert.doesNotMatch(limited.body, /for developers/)
      for (const response of [
        await get('/unavailable'),
        await get('/form', { 'x-closing': '1' }),
      ]) {
        assert.equal(response.statusCode, 503)
        assert.equal(response.headers['retry-after'], '5')
        assert.match(response.body, /Temporarily unavailable/)
      }
    })

    it('in the viewer’s language', async () => {
      assert.match((await get('/refused', { 'accept-language': 'ja' })).body, /<html lang="ja">/)
      const cookie = 'mokuroku-lang=zh-Hans'
      assert.match(
        (await get('/refused', { 'accept-language': 'ja', cookie })).body,
        /<html lang="zh-Hans">/,
      )
      assert.match((await get('/form?ui_locales=en', { cookie })).body, /<html lang="en">/)
    })
  })

  describe('switch the language', () => {
    it('through a link that sets a cookie and removes an app’s requested language', async () => {
      const response = await get('/form?a=%20b&lang=ja&ui_locales=en&c')
      assert.equal(response.statusCode, 303)
      assert.equal(response.headers.location, '/form?a=%20b&c')
      assert.equal(response.headers['cache-control'], 'no-store')
      assert.deepEqual(cookiesOf(response), { 'mokuroku-lang': 'ja' })
    })

    it('only to a supported language', async () => {
      for (const query of ['lang=fr', 'lang=', 'lang=ja&lang=en', 'lang=__proto__'])
        assert.equal((await get(`/form?${query}`)).statusCode, 200, query)
    })

    it('without redirecting to another host', async () => {
      for (const path of [
        '/anything//evil.example/',
        '/anything/..%2f/evil.example',
        '/anything/\\evil.example',
      ]) {
        const location = String((await get(`${path}?lang=ja`)).headers.location)
        assert.equal(new URL(location, ORIGIN).origin, ORIGIN)
        assert.match(location, /^\/(?![/\\])/)
      }
    })

    it('with links only on pages that respond to GET', async () => {
      assert.match((await submit()).body, /class="languages"/)
      const form = await get('/form')
      const payload = new URLSearchParams({ _csrf: tokensIn(form)[0] ?? '' }).toString()
      const response = await submit({ url: '/post-only', cookies: cookiesOf(form), payload })
      assert.equal(response.statusCode, 200)
      assert.doesNotMatch(response.body, /class="languages"/)
    })
  })

  it('leave other routes unchanged', async () => {
    const response = await app.inject({ method: 'POST', url: '/api', payload: { name: 'Ryo' } })
    assert.deepEqual(response.json(), { name: 'Ryo' })
    assert.equal((await get('/api?lang=ja')).statusCode, 200)
  })
})
