import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './free-port.ts'

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** An HTTP server for files that records its requests. */
export type DumpServer = {
  url: string
  /** Status, path and requested range of each request: `200 /a.gz`, `206 /a.gz bytes=5-`. */
  requests: string[]
  /** Sets the response of a path. */
  at(path: string, handler: RequestHandler): void
  close(): Promise<void>
}

export async function startDumpServer(): Promise<DumpServer> {
  const handlers = new Map<string, RequestHandler>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    response.once('close', () =>
      requests.push([response.statusCode, path, request.headers.range].filter(Boolean).join(' ')),
    )
    const handler = handlers.get(path) ?? ((_request, missing) => missing.writeHead(404).end())
    handler(request, response)
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    at: (path, handler) => void handlers.set(path, handler),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/**
 * Serves a file with an ETag and support for ranges.
 *
 * @param cutAt number of bytes after which the connection breaks
 */
export const serveFile =
  (bytes: Uint8Array, etag: string, cutAt = Infinity): RequestHandler =>
  (request, response) => {
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
    const [, first = '0'] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
    const from = request.headers['if-range'] === etag ? Number(first) : 0
    response.writeHead(from > 0 ? 206 : 200, {
      etag,
      'content-length': bytes.length - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    })
    if (cutAt > bytes.length) return void response.end(bytes.subarray(from))
    // The socket is not destroyed, so that buffered bytes still arrive.
    response.write(bytes.subarray(from, cutAt), () => response.socket?.end())
  }

export const redirectTo =
  (path: string): RequestHandler =>
  (_request, response) =>
    void response.writeHead(302, { location: path }).end()

export const serveText =
  (text: string, type = 'text/plain'): RequestHandler =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text)
