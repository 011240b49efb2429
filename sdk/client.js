import { memoryCache } from './cache.js'
import { parseJson } from './error.js'
import { createLimits } from './limits.js'
import { repeat, request } from './request.js'

/** Idempotent methods, which are safe to retry. */
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE'])

const audienceOf = (path) => /^\/v3\/user|^\/api\/v3\/user/.exec(path)?.[0] ?? 'catalog'

/** Creates a client for one server and one app or one of its users. */
export function createClient(settings) {
  const { server, api = server, token, cache = memoryCache(), limits = createLimits() } = settings
  return { send }

  /** Sends a request with token, cache, limits and retries, and returns the `data` of the response. */
  async function send(method, path, { body, ...parameters } = {}, options = {}) {
    const all = { ...settings, ...options }
    const query = new URLSearchParams()
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
      const { [name]: value } = parameters
      delete parameters[name]
      return encodeURIComponent(value)
    })
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined && value !== null) query.append(name, value)
    const search = query.size > 0 ? `?${query}` : ''
    const url = trimmed(path.startsWith('/v3/user') ? api : server) + filled + search
    const headers = { accept: 'application/json, */*;q=0.5', ...options.headers }
    const isJson = body?.constructor === Object
    if (isJson) headers['content-type'] = 'application/json'
    const init = {
      method,
      headers,
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    }
    const isIdempotent = IDEMPOTENT.has(method)
    const isCached = method === 'GET' && path.startsWith('/api/v3/open/') && cache !== false
    const known = isCached ? await cache.get(url) : undefined
    if (known?.until > Date.now() && !options.revalidate) return read(known.text)
    if (known) headers['if-none-match'] = known.etag

    let isRenewed = false
    const { response, text } = await repeat(attempt, isIdempotent ? all : { retries: 0 })
    const result = response.status === 304 ? known.text : text
    options.onResponse?.(response, parseJson(result))
    const etag = response.headers.get('etag') ?? known?.etag
    if (isCached && etag) {
      const [, age = 0] = /max-age=(\d+)/.exec(response.headers.get('cache-control')) ?? []
      await cache.set(url, { etag, text: result, until: Date.now() + age * 1000 })
    }
    return read(result)

    /** Sends the request. After the first 401 of all attempts, gets a new token and repeats the request if it is idempotent. */
    async function attempt() {
      const first = await bearer()
      try {
        return await exchange(first)
      } catch (error) {
        if (error.status !== 401 || typeof token !== 'function' || isRenewed) throw error
        isRenewed = true
        const second = await bearer(first)
        if (!isIdempotent) throw error
        return exchange(second)
      }
    }

    async function bearer(refused) {
      return typeof token === 'function' ? token({ refused, signal: all.signal }) : token
    }

    async function exchange(access) {
      if (access) headers.authorization = `Bearer ${access}`
      const limiter = limits(audienceOf(path))
      let seen
      await limiter.enter(all.signal)
      const fetch = async (...given) => {
        const response = await (all.fetch ?? globalThis.fetch)(...given)
        seen = response.headers
        return response
      }
      return request(url, init, { ...all, fetch }).finally(() => limiter.leave(seen))
    }
  }
}

/** Returns `data` of an envelope, JSON without an envelope, or text. */
function read(text) {
  const json = parseJson(text)
  if (json === undefined) return text === '' ? undefined : text
  return json?.success === true ? json.data : json
}

/** Removes the trailing slash of an origin. */
export const trimmed = (origin) => origin.replace(/\/$/, '')

/** Creates the function of an operation from its method and path. */
export function operation(definition) {
  const [method, path] = definition.split(' ')
  return (client, parameters, options) => client.send(method, path, parameters, options)
}
