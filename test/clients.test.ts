import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, createUser, completeFlow, type TestUser } from '#test/authorization.ts'
import { formWith, PlainBrowser, type Visit } from '#test/browser.ts'
import { chromiumMissing } from '#test/chromium.ts'
import { shareChromium } from '#test/shared-chromium.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startProgram, type Program } from '#test/program.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { missingFile, missingProgram } from '#test/required-programs.ts'

const PAGE = readFileSync(join(CHECKOUT, 'docs/clients.md'), 'utf8')
/** Package whose libraries the programs import. */
const PACKAGE = join(CHECKOUT, 'test/clients/package.json')
/** Folder below the package, so that the programs find its libraries. */
const FOLDER = join(CHECKOUT, 'test/clients/node_modules/.cache')

/** Returns the page's code block with the given name. */
function blockOf(name: string): string {
  const [, text] = new RegExp(`^\`\`\`\\w+ ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? []
  assert.ok(text, `docs/clients.md has a block for ${name}`)
  return text
}

function writeBlock(name: string, file: string): string {
  const path = join(FOLDER, file)
  writeFileSync(path, blockOf(name))
  return path
}

type Client = {
  name: string
  /** Command that runs the file of the block. */
  file: string
  command: (path: string) => string[]
  callback?: string
  app?: Parameters<typeof createClient>[1]
  environment?: NodeJS.ProcessEnv
  skip?: string | false
}

const node = (path: string) => [process.execPath, path]
const CLIENTS: Client[] = [
  { name: 'openid-client', file: 'openid-client.mjs', command: node },
  { name: 'oauth4webapi', file: 'oauth4webapi.mjs', command: node },
  { name: 'simple-oauth2', file: 'simple-oauth2.mjs', command: node },
  { name: 'auth.js', file: 'auth.mjs', command: node, callback: '/auth/callback/mokuroku' },
  {
    name: 'passport-oauth2',
    file: 'passport-oauth2.mjs',
    command: node,
    app: { tokenEndpointAuthMethod: 'client_secret_post' },
  },
  {
    name: 'authlib',
    file: 'with-authlib.py',
    command: (path) => ['/usr/bin/python3', path],
    // The library rejects plain HTTP, even on loopback.
    environment: { AUTHLIB_INSECURE_TRANSPORT: '1' },
    skip: missingFile('/usr/lib/python3/dist-packages/authlib', 'python3-authlib python3-requests'),
  },
  {
    name: 'oauth2',
    file: 'oauth2.go',
    command: (path) => ['go', 'run', path],
    // Debian installs Go packages here.
    environment: { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '', CGO_ENABLED: '0' },
    skip:
      missingProgram('go', 'golang-go') ||
      missingFile('/usr/share/gocode/src/golang.org/x/oauth2', 'golang-golang-x-oauth2-dev'),
  },
]

describe('the examples in docs/clients.md', () => {
  let service: TestService
  let user: TestUser
  let program: Program | undefined
  before(async () => {
    rmSync(FOLDER, { recursive: true, force: true })
    mkdirSync(FOLDER, { recursive: true })
    service = await startService({ content: 'sample' })
    user = await createUser(service, 'Ann')
  })
  after(() => service.close())

  const environmentOf = ({ clientId, secret }: TestApp, redirectUri = '') => ({
    ISSUER: `${service.url}/oidc`,
    CLIENT_ID: clientId,
    CLIENT_SECRET: secret,
    REDIRECT_URI: redirectUri,
  })

  /** Follows a sign-in from the program's first page through the provider and back. */
  async function signInWith(origin: string): Promise<Visit> {
    const app = new PlainBrowser(origin)
    let start = await app.get('/')
    if (start.location === undefined) {
      start = await app.get('/auth/signin')
      start = await app.submit(start, {}, formWith(start, ['csrfToken']))
    }
    const browser = new PlainBrowser(service.url)
    const { location = '' } = await completeFlow(
      browser,
      await browser.get(start.location ?? ''),
      user,
    )
    return app.get(location)
  }

  for (const {
    name,
    file,
    command,
    callback = '/callback',
    app = {},
    environment,
    skip = false,
  } of CLIENTS)
    it(`sign a user in with ${name}`, { skip }, async () => {
      const origin = `http://127.0.0.1:${await freePort()}`
      const redirectUri = origin + callback
      const client = await createClient(service, { redirectUris: [redirectUri], ...app })
      program = startProgram(command(writeBlock(name, file)), {
        environment: { ...environmentOf(client, redirectUri), ...environment },
      })
      const { ended } = program
      try {
        const listens = async () => {
          while (!(await fetch(origin, { redirect: 'manual' }).catch(() => undefined)))
            await sleep(50)
        }
        await Promise.race([listens(), ended.then(({ errors }) => assert.fail(errors))])
        assert.match((await signInWith(origin)).text, /^Signed in as Ann/, program.errors())
      } finally {
        await program.end()
      }
    })

  it('import the libraries that the package lists', () => {
    const imported = [...PAGE.matchAll(/^import .* from '([^']+)'$/gm)]
      .map(([, name = '']) => name)
      .filter((name) => !name.startsWith('node:'))
    // A page loads one of them, and a test of generated clients runs the other.
    const used = new Set([...imported, 'oidc-client-ts', 'orval', 'oazapfts', '@oazapfts/runtime'])
    const { devDependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as {
      devDependencies: object
    }
    assert.deepEqual(Object.keys(devDependencies), [...used].toSorted())
  })

  it('read the catalog with curl', async () => {
    const client = await createClient(service)
    program = startProgram(['bash', '-e', writeBlock('curl', 'curl.sh')], {
      environment: environmentOf(client),
    })
    const { status, output, errors } = await program.ended
    assert.equal(status, 0, errors)
    assert.equal((JSON.parse(output) as { success: boolean }).success, true)
  })

  it(
    'sign a user in and out with oidc-client-ts in a browser',
    { skip: chromiumMissing() },
    async () => {
      const port = await freePort()
      const origin = `http://127.0.0.1:${port}`
      const client = await createClient(service, {
        redirectUris: [`${origin}/`],
        clientType: 'public',
      })
      const page = blockOf('oidc-client-ts')
        .replace("'ISSUER'", `'${service.url}/oidc'`)
        .replace("'CLIENT_ID'", `'${client.clientId}'`)
      const library = join(
        createRequire(PACKAGE).resolve('oidc-client-ts/package.json'),
        '../dist/browser/oidc-client-ts.min.js',
      )
      const server = createServer((request, response) =>
        request.url === '/oidc-client-ts.min.js'
          ? response.setHeader('content-type', 'text/javascript').end(readFileSync(library))
          : response.setHeader('content-type', 'text/html').end(page),
      )
      await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
      const browser = await shareChromium()
      try {
        const tab = await browser.newPage()
        const responses: string[] = []
        tab.on('response', (response) => {
          if (response.url().endsWith('/revocation')) responses.push(String(response.status()))
        })
        await tab.goto(origin)
        await tab.click('#sign-in')
        await fillSignIn(tab, user)
        await tab.click('[name=decision][value=allow]')
        await tab.waitForSelector('text=Signed in as Ann')
        await tab.click('#sign-out')
        await tab.waitForURL(`${service.url}/**`)
        assert.deepEqual(responses, ['200', '200'], 'both tokens are revoked before')
      } finally {
        await browser.close()
        await new Promise((closed) => server.close(closed).closeAllConnections())
      }
    },
  )
})
