import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptsConnections, freePort, listenLocally } from './free-port.ts'
import { missingProgram } from './required-programs.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'
import { trustCertificate } from './trust-certificate.ts'

export const FORWARD_PROXY_MISSING =
  missingProgram('tinyproxy', 'tinyproxy') || missingProgram('openssl', 'openssl')

export type ForwardProxy = {
  /** URL with the credentials, if there are any. */
  url: string
  /** Returns the destinations of all requests: `CONNECT host:443`, `GET http://host/`. */
  requests(): string[]
  stop(): Promise<void>
}

/** Starts tinyproxy, a forward proxy. */
export async function startForwardProxy(credentials?: {
  user: string
  password: string
}): Promise<ForwardProxy> {
  const folder = scratchFolder('proxy')
  const port = await freePort()
  const lines = [`Port ${port}`, 'Listen 127.0.0.1', 'MaxClients 50', 'LogLevel Info']
  if (credentials) lines.push(`BasicAuth ${credentials.user} ${credentials.password}`)
  writeFileSync(join(folder, 'proxy.conf'), `${lines.join('\n')}\n`)
  const server = spawn('tinyproxy', ['-d', '-c', join(folder, 'proxy.conf')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  process.once('exit', () => server.kill('SIGKILL'))
  let log = ''
  server.stdout.setEncoding('utf8').on('data', (text: string) => (log += text))
  while (!(await acceptsConnections(port))) await sleep(20)
  const login = credentials ? `${credentials.user}:${credentials.password}@` : ''
  return {
    url: `http://${login}127.0.0.1:${port}`,
    requests: () =>
      [...log.matchAll(/: ((?:CONNECT|[A-Z]+ http:)\S* ?\S*) HTTP\/1\.1/g)].map(
        ([, request = '']) => request,
      ),
    async stop() {
      const exited = once(server, 'exit')
      server.kill('SIGKILL')
      await exited
      removeFolder(folder)
    },
  }
}

/**
 * IP address of servers that count as other machines: a loopback address, but not the one for which a proxy is never
 * used.
 */
const OTHER_MACHINE = '127.0.0.2'

/**
 * Starts an HTTP and an HTTPS server that count as another machine. Until they are closed, this process trusts their
 * certificate, which is valid for the host name.
 */
export async function startOtherMachine(name: string, answer: RequestListener) {
  const { key, cert, distrust } = trustCertificate(`IP:${OTHER_MACHINE},DNS:${name}`)
  const plain = createServer(answer)
  const tls = createTlsServer({ key, cert }, answer)
  const httpPort = await listenLocally(plain, OTHER_MACHINE)
  const httpsPort = await listenLocally(tls, OTHER_MACHINE)
  return {
    http: `http://${OTHER_MACHINE}:${httpPort}`,
    https: `https://${OTHER_MACHINE}:${httpsPort}`,
    async close() {
      distrust()
      for (const server of [plain, tls]) {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      }
    },
  }
}
