import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort, listenLocally } from '#test/free-port.ts'
import { startMokuroku, startProgram, temporaryFolder, type Program } from '#test/program.ts'
import { haproxy, readExample } from '#test/proxy-examples.ts'
import { replaceEach } from '#test/replace-each.ts'
import { missingProgram } from '#test/required-programs.ts'
import { startLoad, type Attempt } from '#test/rolling-restart.ts'
import { startService } from '#test/service.ts'
import { signIn } from '#test/user-api.ts'
import { numberVariable } from '#test/number-variables.ts'

/** Minimum number of requests. By default, as many as fit into two restarts. */
const REQUESTS = numberVariable('RESTART_REQUESTS') ?? 0
/** Maximum number of failed requests that the message of a failed test lists. */
const MAX_SHOWN = 20
/** Maximum number of characters of the proxy's log in that message. */
const MAX_LOG_CHARACTERS = 4_000
const CLIENTS = REQUESTS > 0 ? 16 : 4
const LIMIT_MS = 240_000 + REQUESTS * 30

/** Returns a complete configuration with the given sites in its http block. */
const nginx =
  (sites: (port: number, servers: number[]) => string) =>
  (port: number, servers: number[], folder: string) =>
    `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${sites(port, servers)}
}
`

const serverLines = (servers: number[], parameters = '') =>
  servers.map((server) => `server 127.0.0.1:${server}${parameters};`).join('\n    ')

const nginxDefaults = (port: number, servers: number[]) => `
  upstream mokuroku {
    ${serverLines(servers)}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://mokuroku;
      proxy_set_header Host $http_host;
    }
  }`

/** Returns the example without TLS, its redirect from port 80, and its log. */
function nginxExample(port: number, servers: number[]) {
  const example = readExample('nginx.conf')
  const redirect = example.slice(
    example.indexOf('server {\n  listen 80;'),
    example.indexOf('server {\n  listen 443 '),
  )
  return replaceEach(example, {
    [redirect]: '',
    'listen 443 ssl http2;': `listen 127.0.0.1:${port};`,
    'ssl_certificate /etc/ssl/catalog.example.org.pem;': '',
    'ssl_certificate_key /etc/ssl/catalog.example.org.key;': '',
    'access_log /var/log/nginx/access.log combined if=$is_logged;': '',
    'server 127.0.0.1:14790 max_fails=0;': serverLines(servers, ' max_fails=0'),
  })
}

const PROXIES = [
  {
    name: 'haproxy as in the example',
    program: 'haproxy',
    packages: 'haproxy',
    configure: haproxy,
    command: ['haproxy', '-db', '-f'],
    workers: 1,
  },
  {
    name: 'nginx with its defaults',
    program: 'nginx',
    packages: 'nginx-light',
    configure: nginx(nginxDefaults),
    command: ['nginx', '-c'],
    workers: 1,
  },
  {
    name: 'nginx as in the example, two workers each',
    program: 'nginx',
    packages: 'nginx-light',
    configure: nginx(nginxExample),
    command: ['nginx', '-c'],
    workers: 2,
  },
] as const

for (const proxy of PROXIES)
  describe(
    `a rolling restart of two services behind ${proxy.name}`,
    { skip: missingProgram(proxy.program, proxy.packages), timeout: 2 * LIMIT_MS },
    () => {
      const folder = temporaryFolder()
      let database: TestDatabase
      let attempts: Attempt[]
      let ports: number[]
      let running: Program
      let publicPort: number
      /** Issuer of the tokens. */
      let publicUrl: string
      const services: Program[] = []

      before(async () => {
        database = await createDatabase('server', 'sample')
        publicPort = await freePort()
        const maker = await startService({ database, environment: { PORT: String(publicPort) } })
        publicUrl = maker.url
        const app = await maker.createApp()
        const { token: userToken } = await signIn(maker)
        const token = await maker
          .token('catalog:full', { requestsPerMinute: 1_000_000_000 })
          .finally(() => maker.close())
        const authorization = `Bearer ${token}`
        const credentials = Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')
        const body = 'grant_type=client_credentials&scope=catalog:full'
        const rating = '{"status":"GOING"}'
        attempts = [
          { method: 'GET', path: '/v3/galgames/1', headers: { authorization } },
          {
            method: 'GET',
            path: '/v3/galgames/1/characters?role=MAIN',
            headers: { authorization },
          },
          {
            method: 'POST',
            path: '/oidc/token',
            headers: {
              authorization: `Basic ${credentials}`,
              'content-type': 'application/x-www-form-urlencoded',
              'content-length': String(body.length),
            },
            body,
          },
          {
            method: 'PUT',
            path: '/v3/user/me/rates/galgames/1',
            headers: {
              authorization: `Bearer ${userToken}`,
              'content-type': 'application/json',
              'content-length': String(rating.length),
            },
            body: rating,
          },
        ]
        ports = [await freePort(), await freePort()]
        for (const at of ports.keys()) await start(at)
        const file = join(folder.path, 'proxy.conf')
        writeFileSync(file, proxy.configure(publicPort, ports, folder.path))
        running = startProgram([...proxy.command, file])
        await eventually(async () => {
          const response = await fetch(`${publicUrl}/health/ready`).catch(() => {})
          await response?.arrayBuffer()
          return response?.ok ?? false
        }, proxy.name)
      })
      after(async () => {
        await running?.end()
        for (const service of services) await service.end()
        await database?.remove()
        folder.remove()
      })

      async function start(at: number) {
        const program = startMokuroku(['serve', '--no-demo'], {
          environment: {
            HOST: '127.0.0.1',
            PORT: String(ports[at]),
            AUTH_URL: publicUrl,
            DATABASE_URL: database.databaseUrl,
            DATA_DIR: join(folder.path, `data${at}`),
            DATABASE_POOL_SIZE: '3',
            TOKEN_REQUESTS_PER_MINUTE: '1000000000',
            USER_REQUESTS_PER_MINUTE: '1000000000',
            TRUSTED_PROXIES: '1',
            WORKERS: String(proxy.workers),
            SHUTDOWN_DELAY: '2',
          },
        })
        services[at] = program
        await program.waitForOutput('mokuroku listens')
      }

      it('fails no request', { timeout: LIMIT_MS }, async () => {
        const load = startLoad(publicPort, attempts, CLIENTS)
        let restarts = 0
        try {
          await eventually(
            async () => load.processes.size >= 2 * proxy.workers,
            'a request to each process',
          )
          do
            for (const [at, service] of services.entries()) {
              const before = new Set(load.processes.keys())
              service.child.kill('SIGTERM')
              const { status, errors } = await service.ended
              assert.equal(status, 0, errors)
              await start(at)
              // nginx avoids a server for ten seconds after it refuses a connection. Until then, only connections that nginx
              // had already begun reach the new process, at most one per client.
              await eventually(
                async () =>
                  [...load.processes].filter(
                    ([name, responses]) => !before.has(name) && responses > CLIENTS,
                  ).length >= proxy.workers,
                'more responses of each new process than there are clients',
              )
              restarts += 1
            }
          while (load.sent < REQUESTS)
        } finally {
          await load.end()
        }
        if (REQUESTS > 0)
          console.log(
            `${proxy.name}: ${load.sent} requests, ${load.failures.length} failed, ${restarts} restarts`,
          )
        assert.equal(
          load.failures.length,
          0,
          [
            ...load.failures.slice(0, MAX_SHOWN),
            running.errors().slice(0, MAX_LOG_CHARACTERS),
          ].join('\n'),
        )
      })
    },
  )

/**
 * Starts a service that handles each request with `handle`, and a proxy in front of it.
 *
 * @returns a function that sends a request, and one that ends both
 */
async function startBefore(
  proxy: (typeof PROXIES)[number],
  folder: string,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const service = createServer(handle)
  const port = await listenLocally(service)
  const publicPort = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, proxy.configure(publicPort, [port, port], folder))
  const running = startProgram([...proxy.command, file])
  return {
    async send(method: string, headers: Record<string, string> = {}) {
      const response = await fetch(`http://127.0.0.1:${publicPort}/`, { method, headers })
      await response.text()
      return response.status
    },
    async end() {
      await running.end()
      service.closeAllConnections()
      service.close()
    },
  }
}

const [HAPROXY, , NGINX] = PROXIES

describe(
  'nginx as in the example, with services that close kept connections',
  { skip: missingProgram('nginx', 'nginx-light') },
  () => {
    const folder = temporaryFolder()
    after(() => folder.remove())

    it('sends no request that it cannot repeat over a kept connection', async () => {
      const used = new WeakSet<Socket>()
      const closed: string[] = []
      const { send, end } = await startBefore(NGINX, folder.path, (request, response) => {
        if (used.has(request.socket)) {
          closed.push(request.method ?? '')
          request.socket.destroy()
          return
        }
        used.add(request.socket)
        response.end('served')
      })
      try {
        await eventually(async () => (await send('GET').catch(() => 0)) === 200, 'nginx')
        for (let count = 0; count < 10; count += 1)
          for (const method of ['GET', 'POST', 'PATCH'])
            assert.equal(await send(method), 200, method)
        // A GET is repeated over another connection.
        assert.deepEqual(new Set(closed), new Set(['GET']))
      } finally {
        await end()
      }
    })
  },
)

describe(
  'haproxy as in the example, with services that close connections without a response',
  { skip: missingProgram('haproxy', 'haproxy') },
  () => {
    const folder = temporaryFolder()
    after(() => folder.remove())

    it('repeats PUT and DELETE, but not POST, PATCH and requests with If-Match', async () => {
      const seen = new Set<string>()
      const { send, end } = await startBefore(HAPROXY, folder.path, (request, response) => {
        const { method = '', url, headers } = request
        const kind = `${method} ${headers['if-match']}`
        const isFirst = url === '/' && !seen.has(kind)
        seen.add(kind)
        if (isFirst) request.socket.destroy()
        else response.end('served')
      })
      try {
        await eventually(async () => (await send('GET').catch(() => 0)) === 200, 'haproxy')
        for (const [method, status] of Object.entries({
          PUT: 200,
          DELETE: 200,
          POST: 502,
          PATCH: 502,
        }))
          // HAProxy may also close the client's connection.
          assert.equal(await send(method).catch(() => 502), status, method)
        for (const method of ['PUT', 'DELETE'])
          assert.equal(await send(method, { 'if-match': '"1"' }).catch(() => 502), 502, method)
      } finally {
        await end()
      }
    })
  },
)
