import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { listenLocally } from './free-port.ts'
import { trustCertificate } from './trust-certificate.ts'

/** Description of an app, as its document contains it. */
export type ClientDocument = Record<string, unknown>

/** An https server on this machine with documents of apps. */
export type DocumentHost = {
  origin: string
  /** Number of requests. */
  requests: number
  /** Documents by path. A function answers the request itself. */
  documents: Map<string, ClientDocument | RequestListener>
  /** Adds a valid document with some fields replaced, and returns its URL. */
  add(path: string, fields?: ClientDocument): string
  close(): Promise<void>
}

/** Starts a host. Until it is closed, this process trusts its certificate. */
export async function startDocumentHost(): Promise<DocumentHost> {
  const { key, cert, distrust } = trustCertificate('IP:127.0.0.1')
  const documents: DocumentHost['documents'] = new Map()
  const server = createServer({ key, cert }, (request, response) => {
    host.requests += 1
    const document = documents.get(request.url ?? '')
    if (typeof document === 'function') return document(request, response)
    response.writeHead(document ? 200 : 404, {
      'content-type': 'application/json',
      'cache-control': 'max-age=0',
    })
    return response.end(JSON.stringify(document ?? {}))
  })
  const origin = `https://127.0.0.1:${await listenLocally(server)}`
  const host: DocumentHost = {
    origin,
    requests: 0,
    documents,
    add(path, fields = {}) {
      const url = `${origin}${path}`
      documents.set(path, {
        client_id: url,
        client_name: 'Test agent',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        ...fields,
      })
      return url
    },
    async close() {
      distrust()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return host
}
