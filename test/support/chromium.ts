import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { freePort } from './free-port.ts'

/** Reason why tests that need a browser cannot run on this machine, or false. */
export function chromiumMissing(): string | false {
  return findChromium()
    ? false
    : 'chromium is not on this machine: apt-get install chromium-headless-shell'
}

/** Prefers the headless shell, which takes a quarter less processor time than the full browser. */
function findChromium() {
  const folders = (process.env['PATH'] ?? '').split(':').concat('/usr/bin')
  return ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(existsSync)
}

type Options = {
  /** Enables the back/forward cache, which most tests do not need. */
  backForwardCache?: boolean
  /** V8 options. */
  scripts?: string
}

/** Starts a real browser that makes no requests to the Internet. */
export function startChromium({
  backForwardCache = false,
  scripts = '',
}: Options = {}): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('chromium is missing')
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]
  return chromium.launch({
    executablePath,
    ...(backForwardCache && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', `--js-flags=${scripts}`, ...quiet],
  })
}

/** Starts a server at an app's redirect URI, which records the parameters of each call. */
export async function startCallback() {
  const port = await freePort()
  let called = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://127.0.0.1:${port}`)
    response.setHeader('content-type', 'text/html').end('<title>The app</title><h1>The app</h1>')
    if (pathname === '/callback') called.resolve(searchParams)
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${port}/callback`,
    /** Resolves to the parameters of the next call. */
    async evaluate() {
      const response = await called.promise
      called = Promise.withResolvers()
      return response
    },
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  }
}
