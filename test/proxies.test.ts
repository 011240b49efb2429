import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { get, type RequestOptions } from 'node:https'
import { connect, createServer, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { after, before, describe, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { signedInBrowser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { numberAllChanges, readChanges } from '#test/change-feed.ts'
import { makeTestPicture } from '#test/picture-origin.ts'
import { freePort } from '#test/free-port.ts'
import { CHECKOUT, startProgram, temporaryFolder, type Program } from '#test/program.ts'
import { replaceEach } from '#test/replace-each.ts'
import { missingProgram } from '#test/required-programs.ts'
import { startService, type TestService } from '#test/service.ts'
import { signIn } from '#test/user-api.ts'
import { MAX_UPLOAD_BYTES } from '../src/uploads/encode-upload.ts'

const EXAMPLES = join(CHECKOUT, 'examples/proxies')
const PICTURE = '/account/profile/picture'

type Setup = { folder: string; ports: { https: number; http: number; service: number } }

type Proxy = {
  program: string
  packages: string
  /** Example whose addresses are replaced with those of the test. */
  file: string
  /** Turns the example into a configuration that an unprivileged test can run. */
  configure(example: string, setup: Setup): string
  command(file: string): string[]
  environment?(setup: Setup): NodeJS.ProcessEnv
  /** Name of the access log, if the example has one. */
  accessLog?: string
  /** Certificate that clients trust. */
  trusted: string
}

/** Certificate from `makeCertificate`, and the same certificate with its key. */
const CERTIFICATE = 'localhost.pem'
const WITH_KEY = 'localhost-with-key.pem'
const KEY = 'localhost.key'

const PROXIES: Proxy[] = [
  {
    program: 'caddy',
    packages: 'caddy',
    file: 'Caddyfile',
    configure: (example) =>
      // The example reads its addresses from the environment.
      `{\nadmin off\nlocal_certs\nskip_install_trust\nauto_https disable_redirects\n}\n${example}`,
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    environment: ({ folder, ports }) => ({
      AUTH_URL: `https://localhost:${ports.https}`,
      UPSTREAM: `127.0.0.1:${ports.service}`,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
    }),
    trusted: 'caddy/pki/authorities/local/root.crt',
  },
  {
    program: 'nginx',
    packages: 'nginx-light',
    file: 'nginx.conf',
    configure: (example, { folder, ports }) => {
      const site = replaceEach(example, {
        'listen 80;': `listen 127.0.0.1:${ports.http};`,
        'listen 443 ': `listen 127.0.0.1:${ports.https} `,
        '127.0.0.1:14790': `127.0.0.1:${ports.service}`,
        '/var/log/nginx/access.log': join(folder, 'access.log'),
        '/etc/ssl/catalog.example.org.pem': join(folder, CERTIFICATE),
        '/etc/ssl/catalog.example.org.key': join(folder, KEY),
        'catalog.example.org': 'localhost',
      })
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join('\n')
      const user = process.getuid?.() === 0 ? 'user root;\n' : ''
      return `daemon off;\n${user}pid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}}\n`
    },
    command: (file) => ['nginx', '-c', file],
    accessLog: 'access.log',
    trusted: CERTIFICATE,
  },
  {
    program: 'haproxy',
    packages: 'haproxy',
    file: 'haproxy.cfg',
    configure: (example, { folder, ports }) =>
      replaceEach(example, {
        'bind :80': `bind 127.0.0.1:${ports.http}`,
        'bind :443': `bind 127.0.0.1:${ports.https}`,
        '127.0.0.1:14790': `127.0.0.1:${ports.service}`,
        '/etc/haproxy/catalog.example.org.pem': join(folder, WITH_KEY),
      }),
    command: (file) => ['haproxy', '-db', '-f', file],
    trusted: CERTIFICATE,
  },
]

/** Creates a self-signed certificate for localhost. */
function makeCertificate(folder: string) {
  const [certificate, key] = [join(folder, CERTIFICATE), join(folder, KEY)]
  execFileSync(
    'openssl',
    [
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ['-addext', 'subjectAltName=DNS:localhost', '-out', certificate, '-keyout', key],
    ].flat(),
    { stdio: 'ignore' },
  )
  writeFileSync(
    join(folder, WITH_KEY),
    readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'),
  )
}

for (const proxy of PROXIES)
  describe(
    `the service behind ${proxy.program}, as configured in ${proxy.file}`,
    { skip: missingProgram(proxy.program, proxy.packages) },
    () => {
      const folder = temporaryFolder()
      const trustedBefore = getCACertificates()
      let running: Program
      let service: TestService
      let ca: string
      before(async () => {
        const [https, http] = [await freePort(), await freePort()]
        const url = `https://localhost:${https}`
        service = await startService({
          environment: {
            TRUSTED_PROXIES: '1',
            AUTH_URL: url,
            ACCESS_LOG: 'log',
            MAX_WAITING_REQUESTS: '0',
          },
        })
        makeCertificate(folder.path)
        const example = readFileSync(join(EXAMPLES, proxy.file), 'utf8')
        const file = join(folder.path, proxy.file)
        const ports = { https, http, service: service.config.port }
        const setup = { folder: folder.path, ports }
        writeFileSync(file, proxy.configure(example, setup))
        running = startProgram(proxy.command(file), {
          environment: { ...proxy.environment?.(setup) },
        })
        await eventually(() => isReady(url).catch(() => false), proxy.program)
      })
      after(async () => {
        setDefaultCACertificates(trustedBefore)
        await running.end()
        await service.close()
        folder.remove()
      })

      /** Fails until the proxy has created its certificate and is listening. */
      async function isReady(url: string) {
        ca = readFileSync(join(folder.path, proxy.trusted), 'utf8')
        setDefaultCACertificates([...trustedBefore, ca])
        return (await fetch(`${url}/health/ready`)).ok
      }

      it('signs users in, and accepts a list of 2.4 MB', async () => {
        const { token } = await signIn(service)
        const works = Array.from(
          { length: 15_500 },
          (_, at) => `<vn id="v${at + 1}"><title>${'言葉'.repeat(20)}</title></vn>`,
        )
        const list = `<vndb-export><vns>${works.join('')}</vns></vndb-export>`
        assert.ok(Buffer.byteLength(list) > 2_400_000)
        const response = await fetch(`${service.url}/v3/user/me/rates/import?source=vndb`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/xml' },
          body: list,
        })
        assert.equal(response.status, 200, (await response.text()).slice(0, 500))
      })

      it('accepts a picture of 5 MB', async () => {
        const [email, password] = ['painter@example.com', 'a long enough one']
        await addAccount(service.db, { email, name: 'Ei', password })
        const browser = await signedInBrowser(service, { email, password })
        const page = await browser.get(PICTURE)
        const picture = await makeTestPicture(100, 100)
        const padding = Buffer.alloc(MAX_UPLOAD_BYTES - picture.length)
        const body = new FormData()
        body.set(
          '_csrf',
          page.forms.find(({ action }) => action === PICTURE)?.fields['_csrf'] ?? '',
        )
        body.set('picture', new File([new Uint8Array(picture), padding], 'a.jpg'))
        const cookie = browser.cookieHeader(PICTURE)
        const response = await fetch(service.url + PICTURE, {
          method: 'POST',
          body,
          headers: { cookie, origin: service.url, accept: 'text/html' },
          redirect: 'manual',
        })
        assert.equal(response.status, 303, (await response.text()).slice(0, 500))
      })

      it('sees the client’s IP address, which the client cannot forge', async () => {
        const [path, client] = ['/v3/galgames/1/rates', '127.0.0.2']
        await request(path, { localAddress: client, headers: { 'x-forwarded-for': '203.0.113.7' } })
        await eventually(
          async () => service.logged.some((line) => line['path'] === path),
          'a line of the log',
        )
        const line = service.logged.find((item) => item['path'] === path)
        assert.equal(line?.['address'], client)
      })

      it('passes on a refusal of an overloaded service without repeating the request', async () => {
        const token = await service.token('catalog:sync catalog:read')
        await numberAllChanges(service.db)
        const { latest_id } = await readChanges(service.url, token)
        const path = '/api/v3/open/catalog/changes'
        const response = await service.get(`${path}?since=${latest_id}&wait=1`, token)
        assert.equal(response.status, 503, await response.text())
        const countRefusals = () =>
          service.logged.filter((line) => line['route'] === path && line['status'] === 503).length
        await eventually(async () => countRefusals() > 0, 'a line of the log')
        assert.equal(countRefusals(), 1)
      })

      it('sends each header once', async () => {
        const { headers } = await request('/', { headers: { accept: 'text/html' } })
        const names = headers
          .filter((_, index) => index % 2 === 0)
          .map((name) => name.toLowerCase())
        assert.deepEqual(
          names.filter((name, index) => name !== 'set-cookie' && names.indexOf(name) !== index),
          [],
        )
        assert.ok(names.includes('strict-transport-security'))
      })

      const { accessLog } = proxy
      if (accessLog !== undefined)
        it('logs requests, but no secrets of private feeds', async () => {
          for (const secret of ['mkf_x', '%6dkf_x'])
            await request(`/feeds/${secret}/calendar.ics`, {})
          await request('/health/live', {})
          const log = () => readFileSync(join(folder.path, accessLog), 'utf8')
          await eventually(async () => log().includes('GET /health/live'), 'a line of the log')
          assert.doesNotMatch(log(), /feeds/)
        })

      it('serves HTTP/2', async () => {
        const session = connectHttp2(service.url, { ca })
        const stream = session.request({ ':path': '/health/live' })
        const [headers] = await once(stream, 'response')
        stream.resume()
        await once(stream, 'close')
        session.close()
        assert.equal(headers[':status'], 200)
        assert.equal(session.alpnProtocol, 'h2')
      })

      /** Sends a request on its own connection. */
      async function request(path: string, options: RequestOptions) {
        const [response] = await once(
          get(service.url + path, { family: 4, agent: false, ca, ...options }),
          'response',
        )
        return { body: await text(response), headers: response.rawHeaders as string[] }
      }
    },
  )

describe(
  'HAProxy as in the example for the primary of a cluster',
  { skip: missingProgram('haproxy', 'haproxy') },
  () => {
    const folder = temporaryFolder()
    const hosts = ['127.0.0.1', '127.0.0.2']
    const servers: { close(): unknown }[] = []
    let primary = hosts[0]
    let port: number
    let running: Program
    before(async () => {
      port = await freePort()
      const [databasePort, patroniPort] = [await freePort(), await freePort()]
      for (const host of hosts)
        servers.push(
          createServer((socket) => {
            socket.on('error', () => {})
            socket.write(host)
          }).listen(databasePort, host),
          // As Patroni does.
          createHttpServer((request, response) => {
            response.statusCode = request.url === '/primary' && host === primary ? 200 : 503
            response.end()
          }).listen(patroniPort, host),
        )
      const file = join(folder.path, 'haproxy.cfg')
      const example = readFileSync(join(CHECKOUT, 'examples/database/haproxy.cfg'), 'utf8')
      writeFileSync(
        file,
        replaceEach(example, {
          'bind 127.0.0.1:5000': `bind 127.0.0.1:${port}`,
          'port 8008': `port ${patroniPort}`,
          '10.0.0.11:5432': `${hosts[0]}:${databasePort}`,
          '10.0.0.12:5432': `${hosts[1]}:${databasePort}`,
        }),
      )
      running = startProgram(['haproxy', '-db', '-f', file])
    })
    after(async () => {
      await running.end()
      for (const server of servers) server.close()
      folder.remove()
    })

    /** Returns a connection that leads to a host. */
    async function connectTo(host: string | undefined) {
      let socket = new Socket()
      await eventually(async () => {
        socket.destroy()
        socket = connect(port, '127.0.0.1').on('error', () => {})
        const received = await new Promise((resolve) =>
          socket.once('data', resolve).once('close', resolve),
        )
        return String(received) === host
      }, `a connection to ${host}`)
      return socket
    }

    it('leads to the primary only, and closes connections to a former one', async () => {
      const former = await connectTo(primary)
      const closed = once(former.resume(), 'close')
      primary = hosts[1]
      const current = await connectTo(primary)
      await closed
      current.destroy()
    })
  },
)
