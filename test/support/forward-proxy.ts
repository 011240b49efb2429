import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { freePort, listenLocally } from './free-port.ts'
import { missingProgram } from './required-programs.ts'
import { removeFolder, scratchFolder } from './scratch-folder.ts'

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
  while (!(await accepts(port))) await sleep(20)
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

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

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
  const folder = scratchFolder('certificate')
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = `subjectAltName=IP:${OTHER_MACHINE},DNS:${name}`
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test -keyout ${key} -out ${cert} -addext ${subject}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  )
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')])
  const plain = createServer(answer)
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer)
  const httpPort = await listenLocally(plain, OTHER_MACHINE)
  const httpsPort = await listenLocally(tls, OTHER_MACHINE)
  return {
    http: `http://${OTHER_MACHINE}:${httpPort}`,
    https: `https://${OTHER_MACHINE}:${httpsPort}`,
    async close() {
      setDefaultCACertificates(trusted)
      for (const server of [plain, tls]) {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      }
      removeFolder(folder)
    },
  }
}
