import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { listDeliveries } from '../../src/webhooks/delivery-queries.ts'
import { createEndpoint } from '../../src/webhooks/endpoint-queries.ts'
import type { WebhookEvent } from '../../src/webhooks/events.ts'
import { createClient, createUser, signedInBrowser } from './authorization.ts'
import { eventually } from './browser.ts'
import type { Engine } from './databases.ts'
import { listenLocally } from './free-port.ts'
import { startService, type TestApp } from './service.ts'

type Received = { path: string; headers: IncomingHttpHeaders; body: string }

/** Server of apps. `respond` decides what a path returns; 204 by default. */
export async function startReceiver() {
  const received: Received[] = []
  const responses = new Map<string, (response: ServerResponse) => void>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, body })
      const respond = responses.get(path)
      if (respond) respond(response)
      else response.writeHead(204).end()
    })
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    at: (path: string) => received.filter((each) => each.path === path),
    respond: (path: string, with_: number | ((response: ServerResponse) => void)) =>
      responses.set(
        path,
        typeof with_ === 'number' ? (response) => response.writeHead(with_).end() : with_,
      ),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Verifies a signature with the Web Crypto API, as a receiver would. */
export async function isSignedWith({ headers, body }: Received, secret: string) {
  const key = await crypto.subtle.importKey(
    'raw',
    Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const signed = Buffer.from(
    `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`,
  )
  const verdicts = String(headers['webhook-signature'])
    .split(' ')
    .map((each) => crypto.subtle.verify('HMAC', key, Buffer.from(each.slice(3), 'base64'), signed))
  return (await Promise.all(verdicts)).some(Boolean)
}

/**
 * Waits until a service follows the history of ratings: it does not report older changes. It follows while an endpoint
 * has `record.changed`.
 */
export const waitForFollowing = (db: Database): Promise<void> =>
  eventually(async () => {
    const { rows } = await sql`select from webhook_position where snapshot is not null`.execute(db)
    return rows.length === 1
  }, 'a position in the history')

export type WebhookTest = Awaited<ReturnType<typeof startWebhookTest>>

/** Starts a service, a receiver, and a developer who is signed in. */
export async function startWebhookTest(engine: Engine, environment: Record<string, string> = {}) {
  const service = await startService({ engine, environment })
  const receiver = await startReceiver()
  const developer = await createUser(service, 'Dora')
  const browser = await signedInBrowser(service, developer)
  let paths = 0

  /** Creates an app of the developer with an endpoint at a new path. */
  async function withEndpoint(
    events: WebhookEvent[],
    own?: TestApp,
    accountId: number = developer.id,
  ) {
    const app = own ?? (await createClient(service, { accountId }))
    const owner = { accountId, clientId: app.clientId, origin: {} }
    paths += 1
    const path = `/hook-${paths}`
    const url = receiver.url + path
    const created = await createEndpoint(service.db, owner, { url, events }, undefined)
    assert.ok('id' in created)
    return { app, owner, path, ...created }
  }
  /** Waits for requests at a path, and returns them with their bodies parsed. */
  const received = async (path: string, count = 1) => {
    await eventually(async () => receiver.at(path).length >= count, `${count} requests at ${path}`)
    const requests = receiver.at(path)
    assert.equal(requests.length, count)
    return requests.map((request) => ({
      ...request,
      json: JSON.parse(request.body) as { type: string; timestamp: string; data: unknown },
    }))
  }
  const logOf = async (id: number) => (await listDeliveries(service.db, id))[0]
  /** Makes a delivery that waits for a retry due now. */
  const hurry = () =>
    sql`update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`.execute(
      service.db,
    )
  const ended = (id: number) =>
    eventually(async () => (await logOf(id))?.next_attempt_at === null, 'the end of a delivery')
  const attempted = (id: number, attempts: number) =>
    eventually(async () => {
      const delivery = await logOf(id)
      return delivery?.attempts === attempts && delivery.duration_ms !== null
    }, `attempt ${attempts}`)
  return {
    service,
    receiver,
    developer,
    browser,
    withEndpoint,
    received,
    logOf,
    hurry,
    ended,
    attempted,
    async close() {
      await service.close()
      receiver.close()
    },
  }
}
