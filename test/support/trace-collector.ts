import { createServer, type RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenLocally } from './free-port.ts'

/** Starts a collector that accepts traces by OTLP over HTTP. */
export async function startTraceCollector(
  respond: RequestListener = (_request, reply) => reply.end(),
) {
  const bodies: Buffer[] = []
  const paths = new Set<string>()
  const server = createServer((request, reply) => {
    paths.add(`${request.url} ${request.headers['content-type']}`)
    const receive = async () => {
      bodies.push(await buffer(request))
      respond(request, reply)
    }
    void receive()
  })
  const port = await listenLocally(server)
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    /** Whether a span has this text, or these bytes as its trace id. */
    has: (text: string | Buffer) => Buffer.concat(bodies).includes(text),
    close: () => server.close().closeAllConnections(),
  }
}
