import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import {
  authorizationRequest,
  authorizationResponse,
  completeFlow,
  createClient,
  createUser,
  postToProvider,
  sendTokenRequest,
  signedInAs,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { DEFAULT_ENGINE, describeOnDatabase } from '#test/databases.ts'
import { startDocumentHost, type ClientDocument, type DocumentHost } from '#test/document-host.ts'
import { listenLocally } from '#test/free-port.ts'
import { callTool } from '#test/mcp-client.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import {
  allowDocumentHost,
  denyDocumentHost,
  isDocumentRefused,
} from '../../apps/client-document-queries.ts'
import { isDocumentUrl } from '../../apps/rules/client-documents.ts'
import { searchEvents } from '../../audit/search-queries.ts'
import { clientIdMetadataDocuments, fetchDocuments } from './client-documents.ts'

const SCOPE = 'catalog:read status:read offline_access'

describeOnDatabase('an app described by a document', (engine) => {
  let service: TestService
  let host: DocumentHost
  let user: TestUser
  before(async () => {
    host = await startDocumentHost()
    service = await startService({ engine })
    user = await createUser(service)
  })
  after(async () => {
    await service.close()
    await host.close()
  })

  const agentPath = () => `/${randomUUID()}.json`
  const requestOf = (clientId: string, parameters: Record<string, string> = {}) =>
    authorizationRequest(
      { clientId, secret: '' },
      {
        redirect_uri: 'http://127.0.0.1:54321/callback',
        scope: SCOPE,
        prompt: 'consent',
        resource: `${service.url}/mcp`,
        ...parameters,
      },
    )
  const open = (clientId: string, parameters?: Record<string, string>) =>
    new PlainBrowser(service.url).get(requestOf(clientId, parameters).path)

  /** Grants an app access, and returns the response to its token request. */
  async function allow(
    clientId: string,
    parameters: Record<string, string> = {},
    browser = new PlainBrowser(service.url),
  ) {
    const request = requestOf(clientId, parameters)
    const visit = await completeFlow(browser, await browser.get(request.path), user)
    return sendTokenRequest(
      service,
      { clientId, secret: '' },
      {
        grant_type: 'authorization_code',
        code: authorizationResponse(visit).get('code') ?? '',
        redirect_uri: parameters['redirect_uri'] ?? 'http://127.0.0.1:54321/callback',
        code_verifier: request.verifier,
      },
    )
  }

  const toolStatus = async (token: unknown) =>
    (
      await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${String(token)}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
    ).status

  it('signs a user in on a random port, calls tools, and requests a scope when it needs it', async () => {
    const callback = createServer((_request, response) => response.end('done'))
    const port = await listenLocally(callback.unref())
    const redirectUrl = `http://127.0.0.1:${port}/callback`
    const browser = await signedInBrowser(service, user)
    const arrived: URLSearchParams[] = []
    const agent = agentWith(host.add(agentPath()), redirectUrl, async (url) => {
      const page = await browser.get(url.pathname + url.search)
      const visit = await completeFlow(browser, page, user, redirectUrl)
      arrived.push(authorizationResponse(visit))
    })
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider: agent })
    const connect = async () => {
      const client = new Client(
        { name: 'agent', version: '1' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      )
      await client.connect(transport())
      return client
    }
    const finish = async () => {
      const parameters = arrived.pop()
      assert.ok(parameters, 'the user was sent back')
      await transport().finishAuth(parameters)
    }
    await assert.rejects(connect(), UnauthorizedError)
    await finish()
    const client = await connect()
    const work = { kind: 'galgame', id: first((await sampleWorks(service.db)).galgame) }
    assert.equal((await callTool(client, 'my_record', work)).rating, null)
    await assert.rejects(callTool(client, 'set_status', { ...work, status: 'PLAN' }))
    await finish()
    const saved = await callTool(client, 'set_status', { ...work, status: 'PLAN' })
    assert.deepEqual(saved.current, { status: 'PLAN' })
    await client.close()
    callback.closeAllConnections()
    callback.close()
  })

  it('is shown with its host, at consent and under the connected apps', async () => {
    const clientId = host.add(agentPath(), { client_name: 'Named \u{202e}agent' })
    const browser = await signedInBrowser(service, user)
    const page = await browser.get(requestOf(clientId).path)
    assert.match(page.text, /Named agent/)
    assert.ok(page.text.includes(new URL(clientId).host))
    assert.match(page.text, /This app is not registered here/)
    await completeFlow(browser, page, user)
    const apps = await browser.get('/account/apps')
    assert.match(apps.text, /This app is not registered here/)
  })

  it('gets tokens and refreshes them without its document', async () => {
    const path = agentPath()
    const clientId = host.add(path)
    const granted = await allow(clientId)
    assert.equal(granted.status, 200, JSON.stringify(granted.body))
    host.documents.delete(path)
    const refreshed = await sendTokenRequest(
      service,
      { clientId, secret: '' },
      { grant_type: 'refresh_token', refresh_token: String(granted.body['refresh_token']) },
    )
    assert.equal(refreshed.status, 200)
    assert.equal(await toolStatus(refreshed.body['access_token']), 200)
    await postToProvider(`${service.url}/oidc/token/revocation`, {
      client_id: clientId,
      token: String(refreshed.body['access_token']),
    })
    assert.equal(await toolStatus(refreshed.body['access_token']), 401)
  })

  it('may use any port of its loopback URI, and nothing else may differ', async () => {
    const clientId = host.add(agentPath(), {
      redirect_uris: ['http://127.0.0.1/callback', 'https://agent.example/back'],
    })
    const status = async (redirect_uri: string) => (await open(clientId, { redirect_uri })).status
    for (const uri of ['http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback'])
      assert.equal(await status(uri), 200, uri)
    for (const uri of [
      'http://127.0.0.1:1/other',
      'http://127.0.0.1:1/callback?x',
      'http://localhost:1/callback',
      'http://127.0.0.1.attacker.example:1/callback',
      'http://user@127.0.0.1:1/callback',
      'https://127.0.0.1:1/callback',
      'https://agent.example:8443/back',
    ])
      assert.equal(await status(uri), 400, uri)
  })

  it('must send state, and cannot request scopes of the operator', async () => {
    const clientId = host.add(agentPath(), { scope: 'developer:apps catalog:sync' })
    const parametersOf = async (parameters: Record<string, string>) =>
      authorizationResponse(await open(clientId, parameters))
    const refused = await parametersOf({ state: '' })
    assert.equal(refused.get('error'), 'invalid_request')
    assert.match(refused.get('error_description') ?? '', /`?state/)
    for (const scope of ['developer:apps', 'catalog:sync'])
      assert.equal((await parametersOf({ scope })).get('error'), 'invalid_scope')
  })

  const HOSTILE: Record<string, ClientDocument> = {
    'another client id': { client_id: 'https://127.0.0.1/other.json' },
    'a secret': { client_secret: 'secret', token_endpoint_auth_method: 'client_secret_basic' },
    'a key instead of no secret': { token_endpoint_auth_method: 'private_key_jwt' },
    'no redirect URI': { redirect_uris: [] },
    'redirect URIs of the wrong type': { redirect_uris: 'http://127.0.0.1/callback' },
    'a redirect URI that runs a script': {
      redirect_uris: ['http://127.0.0.1/callback', 'javascript:alert(1)'],
    },
    'too many redirect URIs': {
      redirect_uris: Array.from({ length: 21 }, (_, index) => `http://127.0.0.1/${index}`),
    },
  }
  for (const [name, fields] of Object.entries(HOSTILE))
    it(`is refused with ${name}`, async () => {
      assert.equal((await open(host.add(agentPath(), fields))).status, 400)
    })

  it('is refused if its document is redirected, too large or not JSON', async () => {
    const path = agentPath()
    const url = host.add(path)
    const target = host.add(agentPath())
    host.documents.set(path, (_request, response) =>
      response.writeHead(302, { location: target }).end(),
    )
    assert.equal((await open(url)).status, 400)
    host.documents.set(path, (_request, response) => response.end('not JSON'))
    assert.equal((await open(url)).status, 400)
    host.documents.set(path, (_request, response) => {
      const text = JSON.stringify({ client_id: url, redirect_uris: ['http://127.0.0.1/callback'] })
      response.end(text + ' '.repeat(6_000))
    })
    assert.equal((await open(url)).status, 400)
  })

  /** Opens the consent page of an app whose document the function writes. */
  async function openWritten(write: (response: ServerResponse) => void) {
    const path = agentPath()
    const url = host.add(path)
    host.documents.set(path, (_request, response) => write(response))
    const start = performance.now()
    const { status } = await open(url)
    return { status, milliseconds: performance.now() - start }
  }
  /** Writes a chunk repeatedly until the connection is closed. Returns the number of chunks. */
  function writeForever(response: ServerResponse, chunk: string, intervalMs: number) {
    const written = { chunks: 0 }
    const timer = setInterval(() => {
      written.chunks += 1
      response.write(chunk)
    }, intervalMs)
    response.once('close', () => clearInterval(timer))
    return written
  }

  it('is refused after a few seconds if the document is incomplete by then', async () => {
    const results = await Promise.all([
      openWritten((response) => void response.write('{')),
      openWritten((response) => void writeForever(response, ' ', 500)),
    ])
    for (const { status, milliseconds } of results) {
      assert.equal(status, 400)
      assert.ok(milliseconds < 10_000, `${milliseconds}`)
    }
  })

  it('is refused once too much of its document has arrived, before the end', async () => {
    let written = { chunks: 0 }
    const { status } = await openWritten((response) => {
      written = writeForever(response, ' '.repeat(1_024), 5)
    })
    assert.equal(status, 400)
    assert.ok(written.chunks < 100, `${written.chunks}`)
  })

  it('is refused if its URL is not plain https', async () => {
    const before = host.requests
    for (const clientId of [
      `http://127.0.0.1:1/agent.json`,
      `${host.origin}/`,
      `${host.add(agentPath())}?a=1`,
      `${host.add(agentPath())}#x`,
      `${host.origin}/a/../agent.json`,
      `${host.origin}/${'a'.repeat(600)}`,
    ])
      assert.equal((await open(clientId)).status, 400, clientId)
    assert.equal(host.requests, before)
  })

  const CHANGES: ClientDocument[] = [
    { client_name: 'After' },
    { client_uri: 'https://attacker.example/' },
    { redirect_uris: ['http://127.0.0.1/callback', 'https://attacker.example/'] },
  ]
  describe(
    'asks for consent again if the document changes while the page is open, with a new',
    {
      // Each test waits several seconds until the old document has left the cache.
      concurrency: true,
    },
    () => {
      for (const change of CHANGES)
        it(Object.keys(change).join(), async () => {
          const path = agentPath()
          const before = { client_name: 'Before', client_uri: 'https://agent.example/' }
          const clientId = host.add(path, before)
          const browser = await signedInBrowser(service, user)
          const page = await browser.get(requestOf(clientId).path)
          assert.match(page.text, /Before/)
          host.add(path, { ...before, ...change })
          const document = host.documents.get(path)
          let isRead = false
          host.documents.set(path, (_request, response) => {
            isRead = true
            response.end(JSON.stringify(document))
          })
          await eventually(async () => {
            await browser.get(new URL(page.url).pathname)
            return isRead
          })
          const answered = await browser.submit(page, { decision: 'allow' })
          assert.equal(answered.location, undefined)
          assert.match(answered.text, 'client_name' in change ? /After/ : /Before/)
          assert.notEqual((await completeFlow(browser, answered, user)).location, undefined)
        })
    },
  )

  it('leaves the cache of a process after ten minutes, whatever its headers say', () => {
    const { cacheDuration } = clientIdMetadataDocuments(service.db, true)
    assert.deepEqual(cacheDuration, { min: 5, max: 600 })
  })

  it('loses its access and cannot return once an operator has denied its host', async () => {
    const clientId = host.add(agentPath())
    const { body } = await allow(clientId)
    assert.equal(await toolStatus(body['access_token']), 200)
    await denyDocumentHost(service.db, '127.0.0.1', 'test', {})
    const refused = Date.now() + 10_000
    while ((await toolStatus(body['access_token'])) === 200 && Date.now() < refused) await sleep(20)
    assert.equal(await toolStatus(body['access_token']), 401)
    const refreshed = await sendTokenRequest(
      service,
      { clientId, secret: '' },
      { grant_type: 'refresh_token', refresh_token: String(body['refresh_token']) },
    )
    assert.equal(refreshed.body['error'], 'invalid_client')
    assert.equal((await open(clientId)).status, 400)
    await allowDocumentHost(service.db, '127.0.0.1', 'test', {})
    const again = await allow(clientId)
    assert.equal(await toolStatus(again.body['access_token']), 200)
  })

  it('appears at the desk, where an administrator denies its host and allows it again', async () => {
    const clientId = host.add(agentPath(), { client_name: 'Agent at the desk' })
    await allow(clientId)
    const { id, browser: desk } = await signedInAs(service, 'ADMIN')
    const path = `/desk/apps/${encodeURIComponent(clientId)}`
    const found = await desk.get('/desk/apps?q=agent+at+the+desk')
    assert.ok(found.text.includes(`href="${path}"`), found.text)
    const page = await desk.get(path)
    assert.match(page.text, /127\.0\.0\.1/)
    const deny = page.forms.find(({ action }) => action === `${path}/deny-host`)
    assert.equal((await desk.submit(page, { note: '' }, deny)).status, 422)
    assert.equal((await open(clientId)).status, 200)
    const denied = await desk.submit(page, { note: 'It collects data.' }, deny)
    assert.equal((await open(clientId)).status, 400)
    const accept = denied.forms.find(({ action }) => action === '/desk/denied-hosts/allow')
    assert.equal(accept?.fields['host'], '127.0.0.1')
    assert.equal((await desk.submit(denied, { note: '' }, accept)).status, 422)
    const list = await desk.submit(denied, { note: 'It stopped.' }, accept)
    assert.ok(!list.forms.some(({ action }) => action === '/desk/denied-hosts/allow'))
    assert.equal((await open(clientId)).status, 200)
    const events = await searchEvents(service.db, { accountId: id }, { limit: 20 })
    const details = (kind: string) =>
      events.filter((event) => event.kind === kind).map((event) => event.details)
    assert.deepEqual(details('document_host_denied'), [
      { host: '127.0.0.1', reason: 'It collects data.' },
    ])
    assert.deepEqual(details('document_host_allowed'), [
      { host: '127.0.0.1', reason: 'It stopped.' },
    ])
  })

  it('is refused if a parent domain of its host is denied', async () => {
    const isRefused = (name: string) => isDocumentRefused(service.db, `https://${name}/app.json`)
    await denyDocumentHost(service.db, 'denied.example', 'test', {})
    for (const name of ['denied.example', 'a.denied.example', 'b.a.denied.example'])
      assert.equal(await isRefused(name), true, name)
    for (const name of ['notdenied.example', 'denied.example.org', 'example'])
      assert.equal(await isRefused(name), false, name)
  })

  it('cannot keep the user from signing out when its document becomes invalid', async () => {
    const path = agentPath()
    const clientId = host.add(path)
    const browser = new PlainBrowser(service.url)
    await allow(clientId, {}, browser)
    host.documents.set(path, { client_id: 'x' })
    // The valid document is cached for a few seconds.
    while ((await open(clientId)).status === 200) await sleep(200)
    const page = await browser.get('/oidc/session/end')
    const left = await browser.submit(page, { logout: 'yes' })
    assert.equal(left.status, 200)
    assert.equal(new URL((await browser.get('/account')).url).pathname, '/sign-in')
  })

  it('is called unknown if its document disappears while the consent page is open', async () => {
    const path = agentPath()
    const browser = await signedInBrowser(service, user)
    const page = await browser.get(requestOf(host.add(path)).path)
    host.documents.delete(path)
    let shown = page
    while (shown.status === 200) {
      await sleep(200)
      shown = await browser.get(new URL(page.url).pathname)
    }
    assert.equal(shown.status, 400)
    assert.equal((await browser.submit(page, { decision: 'allow' })).status, 400)
  })

  it('has a host name without another spelling', () => {
    assert.ok(isDocumentUrl('https://agent.example/app.json'))
    for (const url of ['https://agent.example./app.json', 'https://an_agent.example/app.json'])
      assert.ok(!isDocumentUrl(url), url)
  })

  it('does not loosen the comparison of redirect URIs for registered apps', async () => {
    const app = await createClient(service, {
      clientType: 'public',
      redirectUris: ['http://127.0.0.1/callback'],
    })
    assert.equal((await open(app.clientId)).status, 400)
  })
})

describe('the document of an app', () => {
  it('is not requested from private addresses, which a public name may have', async () => {
    for (const [address, family] of [
      ['127.0.0.1', 4],
      ['10.0.0.1', 4],
      ['169.254.169.254', 4],
      ['192.168.0.1', 4],
      ['::1', 6],
      ['fd00::1', 6],
      ['::ffff:10.0.0.1', 6],
    ] as const) {
      const get = fetchDocuments('https://id.example.org/oidc', async () => [{ address, family }])
      const host = family === 6 ? `[${address}]` : address
      for (const url of ['https://agent.example/agent.json', `https://${host}/agent.json`])
        await assert.rejects(get(url), /public/, `${url} at ${address}`)
    }
  })

  it('is not requested from this machine by a service with a public address', async () => {
    const host = await startDocumentHost()
    const service = await startService({
      engine: DEFAULT_ENGINE,
      environment: { AUTH_URL: 'https://id.example.org' },
    })
    try {
      const { path } = authorizationRequest({ clientId: host.add('/agent.json'), secret: '' })
      const url = `http://127.0.0.1:${service.config.port}${path}`
      assert.equal((await fetch(url, { redirect: 'manual' })).status, 400)
      assert.equal(host.requests, 0)
    } finally {
      await service.close()
      await host.close()
    }
  })
})

describe('CLIENT_DOCUMENTS=off', () => {
  it('refuses apps that are not registered', async () => {
    const host = await startDocumentHost()
    const service = await startService({
      engine: DEFAULT_ENGINE,
      environment: { CLIENT_DOCUMENTS: 'off' },
    })
    try {
      const clientId = host.add('/agent.json')
      const { path } = authorizationRequest({ clientId, secret: '' })
      assert.equal((await new PlainBrowser(service.url).get(path)).status, 400)
      assert.equal(host.requests, 0)
      const metadata = await service.get('/oidc/.well-known/openid-configuration')
      assert.doesNotMatch(await metadata.text(), /client_id_metadata_document_supported/)
    } finally {
      await service.close()
      await host.close()
    }
  })
})

/** Returns an agent that keeps its tokens in memory. */
function agentWith(
  clientMetadataUrl: string,
  redirectUrl: string,
  redirectToAuthorization: (url: URL) => Promise<void>,
): OAuthClientProvider {
  const stored: Record<string, never> = {}
  const save = (name: string) => (value: unknown) => void Object.assign(stored, { [name]: value })
  return {
    clientMetadataUrl,
    redirectUrl,
    clientMetadata: { client_name: 'Test agent', redirect_uris: [redirectUrl] },
    state: () => randomUUID(),
    clientInformation: () => stored['client'],
    saveClientInformation: save('client'),
    tokens: () => stored['tokens'],
    saveTokens: save('tokens'),
    codeVerifier: () => stored['verifier'] ?? '',
    saveCodeVerifier: save('verifier'),
    redirectToAuthorization,
  }
}
