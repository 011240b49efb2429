import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { accountFlows } from '#test/account-flows.ts'
import { addAccount } from '#test/accounts.ts'
import {
  ALL_SCOPES,
  authorizationRequest,
  authorizationResponse,
  CALLBACK,
  completeFlow,
  postToProvider,
  signedInBrowser,
  type Tokens,
} from '#test/authorization.ts'
import { csrfTokenOf, eventually, PlainBrowser } from '#test/browser.ts'
import { openTestDatabase, type OpenTestDatabase } from '#test/open-database.ts'
import { missingFile } from '#test/required-programs.ts'
import type { TestService } from '#test/service.ts'
import { spawnAnother, spawnService, type ServiceProcess } from '#test/service-process.ts'
import { createApp } from '../src/apps/queries.ts'

const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`

const PASSWORD = 'correct horse battery'

/** Returns the environment of a process whose clock is ahead by some seconds. */
const clockAheadBy = (seconds: number) => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  DONT_FAKE_MONOTONIC: '1',
  // Each process counts in its own memory, so a killed process leaves nothing behind.
  FAKETIME_NO_CACHE: '1',
})

/** Whether two times, in seconds since 1970, are close enough for a slow machine. */
const isNear = (time: unknown, expected: number) => Math.abs(Number(time) - expected) < 30

describe(
  'a service whose clock differs from that of the database',
  { skip: missingFile(FAKETIME, 'faketime') },
  () => {
    let database: OpenTestDatabase
    before(async () => (database = await openTestDatabase('server')))
    after(() => database.remove())

    for (const seconds of [-3_600, -65, 65, 3_600])
      it(`signs users in and issues tokens that other processes accept (${seconds} seconds)`, async () => {
        const { db, place } = database
        const email = `skew${seconds}@example.org`
        const account = { email, name: 'Reader', password: PASSWORD }
        const user = { id: await addAccount(db, account), ...account }
        const { app, secret = '' } = await createApp(db, {
          clientName: 'Test',
          scopes: ALL_SCOPES,
          redirectUris: [CALLBACK],
        })
        const skewed = await spawnService({
          DATABASE_URL: place.databaseUrl,
          DATA_DIR: place.dataDir,
          ...clockAheadBy(seconds),
        })
        const right = await spawnAnother(place, skewed)
        try {
          await signInAcross({ skewed, right }, { user, clientId: app.client_id, secret })
          await followLink({ skewed, right }, email, place.dataDir)
          await importAndUndo(skewed.url, account)
          assert.match(skewed.output(), /seconds (behind|ahead of) that of the database/)
          assert.doesNotMatch(right.output(), /that of the database/)
        } finally {
          await Promise.all([skewed.stop('SIGKILL'), right.stop('SIGKILL')])
        }
      })
  },
)

type Services = { skewed: ServiceProcess; right: ServiceProcess }

/** Signs in at one process, and redeems, refreshes and uses the tokens at both. */
async function signInAcross(
  { skewed, right }: Services,
  {
    user,
    clientId,
    secret,
  }: { user: Parameters<typeof completeFlow>[2]; clientId: string; secret: string },
) {
  const basic = {
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  }
  const browser = new PlainBrowser(skewed.url)
  const readRatings = async (at: ServiceProcess, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${at.url}/v3/user/me/rates`, { headers })).status
  }
  for (const at of [right, skewed]) {
    const { path, verifier } = authorizationRequest(
      { clientId, secret },
      { scope: 'openid offline_access status:read', prompt: 'consent' },
    )
    const start = await browser.get(path)
    const cookie = start.headers.getSetCookie().find((line) => line.includes('interaction='))
    if (cookie !== undefined) assert.match(cookie, /max-age=3(599|600)/)
    const code = authorizationResponse(await completeFlow(browser, start, user)).get('code') ?? ''
    const exchange = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    }
    const exchanged = await postToProvider(`${at.url}/oidc/token`, exchange, basic)
    assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
    // as: checked on the line above
    let tokens = exchanged.body as Tokens
    for (const next of [skewed, right]) {
      const now = Date.now() / 1_000
      for (const token of [tokens.access_token, tokens.id_token ?? '']) {
        const { iat, exp } = decodeJwt(token)
        assert.ok(isNear(iat, now) && isNear(exp, now + 3_600), JSON.stringify({ iat, exp, now }))
      }
      assert.ok(isNear(decodeJwt(tokens.id_token ?? '')['auth_time'] ?? now, now))
      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
      const refreshed = await postToProvider(`${next.url}/oidc/token`, refresh, basic)
      assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
      // as: checked on the line above
      tokens = refreshed.body as Tokens
      for (const user of [right, skewed])
        assert.equal(await readRatings(user, tokens.access_token), 200)
    }
  }
}

/** Requests an email at one process, and follows its link at the other. */
async function followLink({ skewed, right }: Services, email: string, dataDir: string) {
  const browser = new PlainBrowser(skewed.url)
  await browser.submit(await browser.get('/forgotten-password'), { email })
  // as: the fields that the helper reads
  const { mailsTo } = accountFlows(() => ({ url: skewed.url, config: { dataDir } }) as TestService)
  const findLink = () => mailsTo(email).find(({ link }) => link?.includes('/reset-password'))?.link
  await eventually(async () => findLink() !== undefined, 'an email')
  const { pathname, search } = new URL(findLink() ?? '')
  const form = await new PlainBrowser(right.url).get(pathname + search)
  assert.equal(form.status, 200)
  assert.ok(form.forms.some(({ fields }) => 'password' in fields || 'new_password' in fields))
}

/** Uploads a list, imports it and undoes the import, for which an hour is left by the clock of the database. */
async function importAndUndo(
  url: string,
  { email, password }: { email: string; password: string },
) {
  const browser = await signedInBrowser({ url }, { email, password })
  const page = await browser.get('/library/import')
  const form = new FormData()
  form.set('_csrf', csrfTokenOf(page))
  form.set('source', 'vndb')
  const list =
    '<?xml version="1.0"?><vndb-export version="1.0"><vns><vn id="v4"><title>CLANNAD</title><vote>7</vote></vn></vns></vndb-export>'
  form.set('file', new File([list], 'list.xml'))
  const uploaded = await browser.postForm('/library/import', form)
  const changes = await browser.get(uploaded.url.replace(/works$/, 'changes'))
  const undone = await browser.press(await browser.press(changes, '/take-over'), '/undo')
  assert.match(undone.text, /<h1>Import undone</)
}
