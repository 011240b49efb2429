import { causesOf } from './causes-of.ts'
import { proxyFor } from './proxy.ts'

/** Failure of the proxy. The message is one line without the proxy's credentials, so there is no `cause`. */
export class ProxyError extends Error {
  override name = 'ProxyError'
  /** False if the proxy rejects the credentials or the destination, so that a retry cannot help. */
  readonly isTransient: boolean

  constructor(message: string, { isTransient = true } = {}) {
    super(message)
    this.isTransient = isTransient
  }
}

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'has a host name that does not exist',
  EAI_AGAIN: 'has a host name that could not be resolved',
  EHOSTUNREACH: 'is unreachable',
  ENETUNREACH: 'is unreachable',
  ETIMEDOUT: 'does not accept the connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'does not accept the connection in time',
}

const CUT = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_PROXY_TUNNEL'])

/**
 * Explains the failure of a request that uses a proxy. Before the tunnel exists, every connection is one to the proxy.
 *
 * @returns the error itself if the proxy is not involved
 */
export function explainProxyFailure(url: URL, error: unknown, isAborted = false): unknown {
  const proxy = nameOfProxy(url)
  if (proxy === undefined || error instanceof ProxyError) return error
  if (isAborted) return new ProxyError(`No response through the proxy ${proxy} in time`)
  const chain = causesOf(error)
  const status = chain.flatMap(({ message }) => statusOf(message))[0]
  if (status !== undefined) return statusError(url, proxy, status)
  const codes = chain.map(({ code }) => code ?? '')
  const unreachable = codes.find((code) => UNREACHABLE[code] !== undefined)
  if (unreachable !== undefined)
    return new ProxyError(`The proxy ${proxy} ${UNREACHABLE[unreachable]} (${unreachable})`)
  const cut = codes.find((code) => CUT.has(code))
  return cut === undefined
    ? error
    : new ProxyError(`The connection through the proxy ${proxy} was cut (${cut})`)
}

/** Returns the failure that a status 407 stands for; only proxies send it. */
export function failureOfStatus(url: URL, status: number): ProxyError | undefined {
  const proxy = status === 407 ? nameOfProxy(url) : undefined
  return proxy === undefined ? undefined : statusError(url, proxy, status)
}

function statusError({ host }: URL, proxy: string, status: number) {
  // Tinyproxy returns 401 instead of 407.
  if (status === 407 || status === 401)
    return new ProxyError(`The proxy ${proxy} rejects its user or password (status ${status})`, {
      isTransient: false,
    })
  return new ProxyError(`The proxy ${proxy} does not connect to ${host} (status ${status})`, {
    isTransient: status >= 500,
  })
}

/** Returns the origin of the proxy for a URL, without credentials. */
function nameOfProxy(url: URL): string | undefined {
  const proxy = proxyFor(url)
  return proxy === undefined ? undefined : new URL(proxy).origin
}

const REFUSED_TUNNEL =
  /^(?:Proxy response \(|Proxy Authentication Required \(|Failed to establish tunnel.* HTTP\/1\.\d )(\d{3})\b/

/** Reads the status with which a proxy refused a tunnel from the messages of `fetch` and of Node's agents. */
function statusOf(message: string): number[] {
  const [, status] = REFUSED_TUNNEL.exec(message) ?? []
  return status === undefined ? [] : [Number(status)]
}
