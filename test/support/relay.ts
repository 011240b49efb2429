import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenLocally } from './free-port.ts'

/** Gives the other processes time to find the expired token. */
async function delayToken(url: string, body: string) {
  if (url === '/oidc/token') await sleep(1_500)
  return body
}

/**
 * Starts a proxy that records the paths of requests.
 *
 * @param options.isUnavailable returns true for paths whose requests get 503
 * @param options.change returns the body to send instead of the target's
 */
export async function startRelay(
  target: string,
  { isUnavailable = (_path: string): boolean => false, change = delayToken } = {},
) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    const { method = 'GET', url = '', headers } = request
    paths.push(url)
    if (isUnavailable(url)) return void response.writeHead(503, { 'retry-after': '0' }).end()
    const relay = async () => {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request))
      const { authorization = '', 'content-type': type = '' } = headers
      const reply = await fetch(target + url, {
        method,
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        ...(body.length > 0 && { body }),
      })
      const text = await change(url, await reply.text())
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text)
    }
    relay().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    close: () => server.close().closeAllConnections(),
  }
}
