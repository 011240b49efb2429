import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  createClient,
  createUser,
  completeFlow,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, formWith, type PlainBrowser } from '#test/browser.ts'
import { freePort } from '#test/free-port.ts'
import { startProgram, temporaryFolder, type Program } from '#test/program.ts'
import { startRelay } from '#test/relay.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { missingProgram } from '#test/required-programs.ts'
import {
  EXAMPLE_REDIRECT_URI,
  snippetsOf,
  type Flow,
  type Snippet,
  type SnippetApp,
} from './snippets.ts'

const GO_ENVIRONMENT = { GO111MODULE: 'off', GOFLAGS: '', CGO_ENABLED: '0' }
/** Commands that run the program of each language. */
const RUNNERS: Record<Snippet['language'], { command: string[]; skip: string | false }> = {
  curl: {
    command: ['bash'],
    skip: missingProgram('curl', 'curl') || missingProgram('openssl', 'openssl'),
  },
  javascript: { command: [process.execPath], skip: false },
  python: { command: ['python3'], skip: missingProgram('python3', 'python3') },
  go: { command: ['go', 'run'], skip: missingProgram('go', 'golang-go') },
}

describe('a snippet', { concurrency: 8 }, () => {
  const folder = temporaryFolder()
  let service: TestService
  let user: TestUser
  before(async () => {
    service = await shareService()
    user = await createUser(service, 'Ann')
    // As the first line of the programs says.
    const sdk = await (await service.get('/assets/sdk.js')).text()
    writeFileSync(join(folder.path, 'sdk.js'), sdk)
    writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}')
  })
  after(async () => {
    await service?.close()
    folder.remove()
  })

  /** Stands in for the desktop browser and opens nothing. */
  const start = (
    { language, file, text }: Snippet,
    name: string,
    secret: string,
    input: null | '' = '',
  ) => {
    const path = join(folder.path, `${name}-${file}`)
    writeFileSync(path, text)
    const environment = { CLIENT_SECRET: secret, BROWSER: '/bin/true', ...GO_ENVIRONMENT }
    return startProgram([...RUNNERS[language].command, path], {
      environment,
      input,
      cwd: folder.path,
    })
  }

  /** Starts a proxy that shortens the polling interval from five seconds to one and records each poll response. */
  async function startPollRelay() {
    const received: string[] = []
    const change = async (url: string, text: string) => {
      // as: the body of a device authorization response
      const body = JSON.parse(text) as { error?: string; interval?: number }
      if (url === '/oidc/device/auth') body.interval = 1
      if (url === '/oidc/token') received.push(body.error ?? 'token')
      return JSON.stringify(body)
    }
    return { received, ...(await startRelay(service.url, { change })) }
  }

  async function appFor(
    { secret, language, flow }: Case,
    redirectUri: string,
    authUrl = service.url,
  ) {
    const clientType = secret === undefined ? 'public' : 'confidential'
    const { clientId, secret: value } = await createClient(service, {
      clientType,
      ...(secret !== undefined && { tokenEndpointAuthMethod: secret }),
      applicationType: 'native',
      redirectUris: [redirectUri],
    })
    const { url } = service
    const app: SnippetApp = { clientId, clientType, baseUrl: url, authUrl, redirectUri }
    const snippets = snippetsOf({ ...app, ...(secret && { authentication: secret }) }, flow)
    const snippet = snippets.find((item) => item.language === language)
    assert.ok(snippet)
    return { snippet, value }
  }

  async function outcomeOf(program: Program): Promise<string> {
    const { status, output, errors } = await program.ended
    assert.equal(status, 0, output + errors)
    return output
  }

  async function signIn(program: Program, language: Snippet['language']) {
    await program.waitForOutput('/oidc/auth?')
    await program.waitForOutput('code_challenge=')
    const [url = ''] = /http\S+\/oidc\/auth\?\S+/.exec(program.output()) ?? []
    const browser = await signedInBrowser(service, user)
    const { location = '' } = await completeFlow(browser, await browser.get(url), user)
    if (language === 'curl') program.child.stdin?.end(`${location}\n`)
    else assert.equal((await fetch(location)).status, 200)
  }

  async function confirm(program: Program) {
    await program.waitForOutput('/oidc/device and enter')
    const [, code = ''] = /enter (\S+)/.exec(program.output()) ?? []
    const browser: PlainBrowser = await signedInBrowser(service, user)
    let page = await browser.submit(await browser.get('/oidc/device'), { user_code: code })
    page = await browser.submit(page, {}, formWith(page, ['confirm']))
    page = await browser.submit(page, { decision: 'allow' })
    assert.equal(page.status, 200)
  }

  type Case = {
    language: Snippet['language']
    flow: Flow
    /** Undefined for public apps. */
    secret?: 'client_secret_basic' | 'client_secret_post'
  }
  const CASES: Case[] = (['curl', 'javascript', 'python', 'go'] as const).flatMap((language) => [
    { language, flow: 'client-credentials', secret: 'client_secret_basic' },
    { language, flow: 'code' },
    { language, flow: 'device', secret: 'client_secret_post' },
    // Compilation is slow, and one run covers it.
    ...(language === 'go'
      ? []
      : ([
          { language, flow: 'code', secret: 'client_secret_basic' },
          { language, flow: 'device' },
        ] as const)),
  ])

  for (const one of CASES)
    it(
      `for ${one.flow} in ${one.language} works unmodified, ${one.secret ?? 'without a secret'}`,
      { skip: RUNNERS[one.language].skip },
      async () => {
        const relay = one.flow === 'device' ? await startPollRelay() : undefined
        const url = `http://127.0.0.1:${await freePort()}/callback`
        const { snippet, value } = await appFor(one, url, relay?.url)
        const name = one.secret ?? 'public'
        const program = start(snippet, name, value, one.flow === 'code' ? null : '')
        try {
          if (one.flow === 'code') await signIn(program, one.language)
          if (relay) {
            await program.waitForOutput('/oidc/device and enter')
            await eventually(async () => relay.received.length > 0, 'a question')
            assert.equal(relay.received[0], 'authorization_pending')
            await confirm(program)
          }
          const expected = one.flow === 'client-credentials' ? /CLANNAD/ : /Ann/
          assert.match(await outcomeOf(program), expected)
        } finally {
          await program.end()
          relay?.close()
        }
      },
    )

  const APP: SnippetApp = {
    clientId: 'mk_x',
    clientType: 'confidential',
    baseUrl: 'https://a.test',
    authUrl: 'https://b.test',
  }

  it('listens on a loopback address, even if the app’s redirect URI is a different one', () => {
    for (const redirectUri of [
      undefined,
      'https://app.test/cb',
      'my-app://cb',
      'http://localhost/cb',
      'x',
    ])
      for (const { text, language } of snippetsOf({ ...APP, redirectUri }, 'code'))
        assert.ok(text.includes(EXAMPLE_REDIRECT_URI), `${language} ${String(redirectUri)}`)
  })

  it('escapes quotes in the values of the app', () => {
    const redirectUri = `http://127.0.0.1:8000/it's-"$(id)\\`
    const escaped: Record<Snippet['language'], string> = {
      curl: String.raw`it'\''s-"$(id)\'`,
      javascript: String.raw`it\'s-\"$(id)\\'`,
      python: String.raw`it's-\"$(id)\\"`,
      go: String.raw`it's-\"$(id)\\"`,
    }
    for (const { language, text } of snippetsOf({ ...APP, redirectUri }, 'code'))
      assert.ok(text.includes(escaped[language]), language)
  })

  it('contains neither example values nor conditions of its template', () => {
    for (const authentication of ['client_secret_basic', 'client_secret_post', 'none'] as const)
      for (const flow of ['client-credentials', 'code', 'device'] as const)
        for (const { file, text } of snippetsOf({ ...APP, authentication }, flow))
          assert.doesNotMatch(text, /mk_example|localhost|only client_secret|only none/, file)
  })

  it('is omitted for flows a public app cannot use', () => {
    assert.deepEqual(snippetsOf({ ...APP, clientType: 'public' }, 'client-credentials'), [])
    assert.equal(snippetsOf({ ...APP, clientType: 'public' }, 'device').length, 4)
  })
})
