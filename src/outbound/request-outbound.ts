import { Agent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as requestHttps, type RequestOptions } from 'node:https'
import { Readable } from 'node:stream'
import { explainProxyFailure, failureOfStatus } from './proxy-error.ts'
import { proxyFor } from './proxy.ts'
import { publicLookup, rejectPrivateHost, resolvePublic, type Resolve } from './public-lookup.ts'

/** Time, in milliseconds, after which a tunnel that a proxy does not open is closed. */
const TUNNEL_TIMEOUT_MS = 15_000

type OutboundOptions = Pick<RequestOptions, 'method' | 'headers' | 'rejectUnauthorized'> & {
  signal: AbortSignal
  body?: string | Uint8Array | undefined
  /**
   * Origin of the host. `operator` allows every address. `source` allows only public addresses, and trusts a proxy
   * to resolve the name. `user` allows only public addresses, and gives a proxy the address that was checked.
   */
  chosenBy: 'operator' | 'source' | 'user'
  /** Replaces DNS in tests. */
  resolve?: Resolve | undefined
}

/**
 * Sends a request over a new connection, because a reused one would skip the check of the address. Redirects are
 * not followed.
 *
 * @throws {NotPublicError} if the address is not allowed
 * @throws {ProxyError} if the proxy fails
 */
export async function requestOutbound(
  url: URL,
  { chosenBy, resolve, body, ...options }: OutboundOptions,
): Promise<IncomingMessage> {
  const { signal } = options
  try {
    signal.throwIfAborted()
    if (chosenBy !== 'operator') rejectPrivateHost(url)
    const proxy = proxyFor(url)
    const isTls = url.protocol === 'https:'
    const response = await send(
      isTls ? requestHttps : requestHttp,
      url,
      {
        ...options,
        ...(proxy === undefined
          ? { agent: false, ...(chosenBy !== 'operator' && { lookup: publicLookup(resolve) }) }
          : {
              agent: isTls
                ? new TlsAgent({ proxyEnv: { https_proxy: proxy }, timeout: TUNNEL_TIMEOUT_MS })
                : new Agent({ proxyEnv: { http_proxy: proxy } }),
              ...(chosenBy === 'user' && (await checkedAddress(url, options, resolve))),
            }),
      },
      body,
    )
    const failure = failureOfStatus(url, response.statusCode ?? 0)
    if (failure === undefined) return response
    response.destroy()
    throw failure
  } catch (error) {
    throw explainProxyFailure(url, error, signal.aborted)
  }
}

/** Connects to an address instead of a name, because the proxy could resolve the name to a different address. */
async function checkedAddress(
  { hostname, host }: URL,
  { headers, signal }: Pick<OutboundOptions, 'headers' | 'signal'>,
  resolve: Resolve | undefined,
): Promise<Pick<RequestOptions, 'hostname' | 'servername' | 'headers'>> {
  const addresses = await Promise.race([resolvePublic(hostname, resolve), aborted(signal)])
  // Many proxies have no IPv6, and the proxy gets one address only.
  const { address } = addresses.find(({ family }) => family === 4) ?? addresses[0]
  return { hostname: address, servername: hostname, headers: { ...headers, host } }
}

function send(
  request: typeof requestHttps,
  url: URL,
  { signal, ...options }: RequestOptions & { signal: AbortSignal },
  body: string | Uint8Array | undefined,
): Promise<IncomingMessage> {
  const response = new Promise<IncomingMessage>((fulfill, reject) => {
    request(url, { ...options, signal })
      .once('response', fulfill)
      .on('error', reject)
      .end(body)
  })
  // A request notices an abort only once its agent has a connection, which a silent proxy delays.
  return Promise.race([response, aborted(signal)])
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )

/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304])

/**
 * Sends a request to a server that a user chose, as `fetch` does.
 *
 * @throws as `requestOutbound`
 */
export async function fetchPublic(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit,
  resolve?: Resolve,
): Promise<Response> {
  const response = await requestOutbound(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    signal: signal ?? AbortSignal.timeout(10_000),
    chosenBy: 'user',
    resolve,
    ...(body != null && { body: await new Response(body).text() }),
  })
  const { statusCode: status = 502 } = response
  const fields = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  if (WITHOUT_BODY.has(status)) response.resume()
  // as: Node's type of a web stream differs from the global one in name only
  const stream = Readable.toWeb(response) as ReadableStream<Uint8Array>
  return new Response(WITHOUT_BODY.has(status) ? null : stream, { status, headers: fields })
}
