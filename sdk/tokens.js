import { trimmed } from './client.js'
import { MokurokuError, parseJson } from './error.js'
import { repeat, request } from './request.js'

/** Time, in milliseconds, before its expiry at which a token is no longer used. */
const MARGIN = 30_000

export const issuerOf = ({ server, issuer = `${trimmed(server)}/oidc` }) => issuer

/** Keeps tokens in memory. */
export function memoryStore(tokens) {
  return { get: () => tokens, set: (next) => void (tokens = next) }
}

/** Keeps tokens in `localStorage`, which tabs share, or in `sessionStorage`. */
export const webStore = (storage, key = 'mokuroku') => ({
  get: () => parseJson(storage.getItem(key)) ?? undefined,
  set: (next) => (next ? storage.setItem(key, JSON.stringify(next)) : storage.removeItem(key)),
})

const last = new Map()

/** Runs one function per name at a time: across tabs with Web Locks, otherwise in this process. */
export async function defaultLock(name, run) {
  if (globalThis.navigator?.locks) return navigator.locks.request(name, run)
  const turn = (last.get(name) ?? Promise.resolve()).then(run, run)
  last.set(name, turn)
  return turn
}

const locked = (app, run) =>
  (app.lock ?? defaultLock)(`mokuroku ${issuerOf(app)} ${app.clientId}`, run)

/** Sends a form to an endpoint of the provider as the app. */
export async function post(app, path, form, options = {}) {
  const { clientId, clientSecret, authentication } = app
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(form)
  if (clientSecret !== undefined && authentication !== 'client_secret_post') {
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':')
    headers.authorization = `Basic ${btoa(pair)}`
  } else {
    body.set('client_id', clientId)
    if (clientSecret !== undefined) body.set('client_secret', clientSecret)
  }
  const all = { ...app, ...options }
  const init = { method: 'POST', headers, body: body.toString() }
  const send = () => request(issuerOf(app) + path, init, all)
  const { text } = await repeat(send, options.isRepeatable ? all : { retries: 0 })
  return parseJson(text)
}

/** Requests tokens, and stores them before anything uses them. */
export async function obtain(app, form, { kept, check, ...options } = {}) {
  const { expires_in = 0, ...tokens } = (await post(app, '/token', form, options)) ?? {}
  if (typeof tokens.access_token !== 'string')
    throw new MokurokuError('invalid_response', 'The response contains no tokens.')
  const next = { ...kept, ...tokens, expires_at: Date.now() + expires_in * 1000 }
  check?.(next)
  await app.store?.set(next)
  return next
}

const isUsable = (tokens, refused) =>
  tokens !== undefined && tokens.access_token !== refused && tokens.expires_at - MARGIN > Date.now()

/** Returns a source of tokens of the app itself (client credentials). They are kept apart from those of the user in `app.store`. */
export const appTokens = (settings, store = memoryStore()) => {
  const app = { ...settings, store }
  const form = { grant_type: 'client_credentials', ...(app.scope && { scope: app.scope }) }
  return source(app, (_, options) => obtain(app, form, options))
}

/** Returns a source of tokens of the user in the app's store, which refreshes them. */
export const userTokens = (app) =>
  source(app, async (tokens, options) => {
    if (tokens?.refresh_token === undefined)
      throw new MokurokuError('login_required', 'The user must sign in.')
    const { refresh_token } = tokens
    try {
      const form = { grant_type: 'refresh_token', refresh_token }
      return await obtain(app, form, { ...options, kept: tokens })
    } catch (error) {
      if (error.code === 'invalid_grant') await app.store.set(undefined)
      throw error
    }
  })

/** Returns stored tokens while they are usable. One caller at a time refreshes them, across tabs and processes. */
const source =
  (app, renew) =>
  async ({ refused, signal } = {}) => {
    const stored = await app.store.get()
    if (isUsable(stored, refused)) return stored.access_token
    return locked(app, async () => {
      const current = await app.store.get()
      if (isUsable(current, refused)) return current.access_token
      // The server answers a token request that it has answered before, so a lost response does no harm.
      const { access_token } = await renew(current, { isRepeatable: true, signal })
      return access_token
    })
  }

/** Revokes the user's tokens and deletes them from the store. */
export const signOut = (app, options) =>
  locked(app, async () => {
    const tokens = await app.store.get()
    await app.store.set(undefined)
    const token = tokens?.refresh_token ?? tokens?.access_token
    if (token !== undefined)
      await post(app, '/token/revocation', { token }, { ...options, isRepeatable: true })
  })
