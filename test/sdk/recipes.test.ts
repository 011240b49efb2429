import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  completeFlow,
  createClient,
  createUser,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { formWith, PlainBrowser } from '#test/browser.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startProgram, type Program } from '#test/program.ts'
import { startRelay } from '#test/relay.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { shareChromium } from '#test/shared-chromium.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import type { App, Tokens } from '../../sdk/index.js'

const README = readFileSync(join(CHECKOUT, 'sdk/README.md'), 'utf8')
/** In the checkout, so that programs find the package. */
const FOLDER = join(CHECKOUT, 'node_modules/.cache', scratchFolder('sdk').replaceAll('/', '-'))

function blockOf(name: string): string {
  const [, text] = new RegExp(`^\`\`\`\\w+ ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(README) ?? []
  assert.ok(text, `sdk/README.md has a block ${name}`)
  return text
}

function writeBlock(name: string): string {
  const path = join(FOLDER, `${name}.mjs`)
  writeFileSync(path, blockOf(name))
  return path
}

describe('a recipe of the client package', () => {
  let service: TestService
  let user: TestUser
  before(async () => {
    mkdirSync(FOLDER, { recursive: true })
    service = await startService()
    user = await createUser(service, 'Ann')
  })
  after(async () => {
    await service.close()
    removeFolder(FOLDER)
  })

  const start = (name: string, app: TestApp, environment: NodeJS.ProcessEnv = {}) =>
    startProgram([process.execPath, writeBlock(name)], {
      environment: {
        SERVER: service.url,
        CLIENT_ID: app.clientId,
        ...(app.secret !== '' && { CLIENT_SECRET: app.secret }),
        ...environment,
      },
    })

  /** Signs the user in at a URL of the provider. Returns where the browser ends up. */
  async function signIn(url: string): Promise<string> {
    const browser = new PlainBrowser(service.url)
    const { location = '' } = await completeFlow(browser, await browser.get(url), user)
    return location
  }

  async function outputOf(program: Program): Promise<string> {
    const { status, output, errors } = await program.ended
    assert.equal(status, 0, output + errors)
    return output
  }

  it('prints what a bot has found', async () => {
    const app = await createClient(service)
    assert.equal(await outputOf(start('bot', app)), 'CLANNAD\n')
  })

  it('mirrors the catalog', async () => {
    const app = await service.createApp({ scopes: ['catalog:full', 'catalog:sync'] })
    const { count } = await service.db
      .selectFrom('galgames')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    assert.match(
      await outputOf(start('mirror', app)),
      new RegExp(`^${count} galgames, changes up to [1-9]`),
    )
  })

  it('signs a user in on a website with a server', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`
    const redirectUri = `${origin}/callback`
    const app = await createClient(service, { redirectUris: [redirectUri] })
    const program = start('server', app, { REDIRECT_URI: redirectUri })
    try {
      const browser = new PlainBrowser(origin)
      let page: Awaited<ReturnType<PlainBrowser['get']>> | undefined
      while (page === undefined) {
        page = await browser.get('/').catch(() => undefined)
        if (page === undefined)
          await Promise.race([sleep(50), program.ended.then(({ errors }) => assert.fail(errors))])
      }
      const stranger = new PlainBrowser(origin)
      assert.equal((await stranger.get('/callback?x')).status, 303)
      assert.equal((await browser.get('/callback?x')).status, 400)
      const { text } = await browser.get(await signIn(page.location ?? ''))
      assert.equal(text, 'Signed in as Ann', program.errors())
    } finally {
      await program.end()
    }
  })

  it('rates a work from a desktop program, which then keeps its tokens', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
    const app = await createClient(service, {
      clientType: 'public',
      applicationType: 'native',
      redirectUris: [redirectUri],
    })
    const environment = { REDIRECT_URI: redirectUri, TOKENS: join(FOLDER, 'tokens.json') }
    const first = start('desktop', app, environment)
    try {
      await first.waitForOutput('code_challenge_method=')
      const [, url = ''] = /^Open (\S+)$/m.exec(first.output()) ?? []
      assert.equal((await fetch(await signIn(url))).status, 200)
      assert.match(await outputOf(first), /^Rated 8.5$/m)
    } finally {
      await first.end()
    }
    assert.equal(await outputOf(start('desktop', app, environment)), 'Rated 8.5\n')
  })

  it('refreshes once for several processes that share the tokens', async () => {
    const redirectUri = 'http://127.0.0.1:1/callback'
    const app = await createClient(service, { clientType: 'public', redirectUris: [redirectUri] })
    const { startSignIn, finishSignIn } = await import('../../sdk/index.js')
    const settings = { server: service.url, clientId: app.clientId }
    const { url, pending } = await startSignIn(settings, {
      redirectUri,
      scope: 'openid status:write offline_access',
    })
    const browser = new PlainBrowser(service.url)
    const { location = '' } = await completeFlow(browser, await browser.get(url), user, redirectUri)
    const tokens = await finishSignIn(settings, pending, location)
    const file = join(FOLDER, 'expired.json')
    writeFileSync(file, JSON.stringify({ ...tokens, expires_at: 0 }))
    const relay = await startRelay(service.url)
    try {
      const environment = { REDIRECT_URI: redirectUri, TOKENS: file, SERVER: relay.url }
      const outputs = [1, 2, 3].map(() => outputOf(start('desktop', app, environment)))
      assert.deepEqual(
        await Promise.all(outputs),
        Array.from({ length: 3 }, () => 'Rated 8.5\n'),
      )
      assert.equal(relay.paths.filter((path) => path === '/oidc/token').length, 1)
    } finally {
      relay.close()
    }
  })

  it('signs a user in to a mobile app with a private scheme', async () => {
    const redirectUri = 'org.example.reader:/callback'
    const client = await createClient(service, {
      clientType: 'public',
      applicationType: 'native',
      redirectUris: [redirectUri],
    })
    // as: the recipe
    const recipe = (await import(pathToFileURL(writeBlock('mobile')).href)) as {
      signIn(app: App, open: (url: string) => Promise<string>): Promise<Tokens>
    }
    const { scope } = await recipe.signIn(
      { server: service.url, clientId: client.clientId },
      async (url) => {
        const location = await signIn(url)
        assert.ok(location.startsWith('org.example.reader:/callback?code='), location)
        return location
      },
    )
    assert.equal(scope, 'openid status:write offline_access')
  })

  it('signs a user in on a device', async () => {
    const app = await createClient(service, {
      clientType: 'public',
      applicationType: 'native',
      redirectUris: [],
    })
    const program = start('device', app)
    try {
      await program.waitForOutput('/oidc/device and enter')
      const [, code = ''] = /enter (\S+)/.exec(program.output()) ?? []
      const browser = await signedInBrowser(service, user)
      let page = await browser.submit(await browser.get('/oidc/device'), { user_code: code })
      page = await browser.submit(page, {}, formWith(page, ['confirm']))
      await browser.submit(page, { decision: 'allow' })
      assert.match(await outputOf(program), /^Signed in as Ann$/m)
    } finally {
      await program.end()
    }
  })

  it(
    'signs a user in on a page, whose tabs refresh once, with the module of the server',
    { skip: chromiumMissing() },
    async () => {
      const port = await freePort()
      const origin = `http://127.0.0.1:${port}`
      const app = await createClient(service, {
        clientType: 'public',
        redirectUris: [`${origin}/`],
      })
      const html = blockOf('page')
        .replaceAll('SERVER', service.url)
        .replaceAll('CLIENT_ID', app.clientId)
      const server = createServer((_, response) =>
        response.setHeader('content-type', 'text/html').end(html),
      )
      await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
      const browser = await shareChromium()
      try {
        const context = await browser.newContext()
        const tab = await context.newPage()
        await tab.goto(origin)
        await tab.click('button')
        await fillSignIn(tab, user)
        await tab.click('[name=decision][value=allow]')
        await tab.waitForSelector('text=Signed in as Ann')

        const others = await Promise.all([1, 2, 3].map(() => context.newPage()))
        let refreshes = 0
        context.on('request', (request) => {
          if (request.method() === 'POST' && request.url().endsWith('/oidc/token')) refreshes += 1
        })
        await tab.evaluate(`
          const tokens = JSON.parse(localStorage.getItem('mokuroku'))
          localStorage.setItem('mokuroku', JSON.stringify({ ...tokens, expires_at: 0 }))`)
        await Promise.all(others.map((page) => page.goto(origin)))
        for (const page of others) await page.waitForSelector('text=Signed in as Ann')
        assert.equal(refreshes, 1)
      } finally {
        await browser.close()
        await new Promise((closed) => server.close(closed).closeAllConnections())
      }
    },
  )
})
