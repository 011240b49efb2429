import { mkdir, readFile, rename, rmdir, stat, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Age, in milliseconds, from which a lock is stale: the process that held it has ended. */
const STALE_AFTER = 150_000

/** Keeps tokens in a file that only its owner can read, for programs on Node, Bun and Deno. */
export const fileStore = (path) => ({
  async get() {
    const text = await readFile(path, 'utf8').catch(unless('ENOENT'))
    return text === undefined ? undefined : JSON.parse(text)
  },
  async set(tokens) {
    if (tokens === undefined) return void (await unlink(path).catch(unless('ENOENT')))
    // Readers see either the old tokens or the new ones, never a partial file.
    const unfinished = `${path}.${process.pid}`
    await writeFile(unfinished, JSON.stringify(tokens), { mode: 0o600 })
    await rename(unfinished, path)
  },
})

/** Runs one function at a time across the processes that use the same path. */
export const fileLock = (path) => async (_, run) => {
  const folder = `${path}.lock`
  for (;;) {
    const isOurs = await mkdir(folder).then(() => true, unless('EEXIST'))
    if (isOurs) break
    const { mtimeMs = Date.now() } = (await stat(folder).catch(unless('ENOENT'))) ?? {}
    if (Date.now() - mtimeMs > STALE_AFTER) await rmdir(folder).catch(unless('ENOENT'))
    else await sleep(50)
  }
  try {
    return await run()
  } finally {
    await rmdir(folder).catch(unless('ENOENT'))
  }
}

/** Creates an error handler that ignores one file system error. */
const unless = (code) => (error) => {
  if (error.code !== code) throw error
}

/**
 * Listens at a redirect URI on loopback. Open the browser afterwards, and wait for `redirected`.
 *
 * @param text shown to the user in the browser
 */
export async function listenForRedirect(redirectUri, text = 'Done. You can close this page.') {
  const { hostname, port, pathname } = new URL(redirectUri)
  let arrive
  const redirected = new Promise((resolve) => (arrive = resolve))
  const server = createServer((request, response) => {
    const url = new URL(request.url, redirectUri)
    if (url.pathname !== pathname) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    response.end(text)
    server.close()
    arrive(url.href)
  })
  await new Promise((listening, failed) => {
    server.once('error', failed)
    server.listen(Number(port), hostname.replaceAll(/[[\]]/g, ''), listening)
  })
  return { redirected, close: () => void server.close() }
}
