import { setGlobalProxyFromEnv } from 'node:http'
import type { ProxySettings } from '../config/config.ts'
import { isLoopback } from '../kernel/networks.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export const DIRECT: ProxySettings = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] }

let current = DIRECT
let restoreFetch = () => {}

/** Sets the proxy of all outbound requests of this process. */
export function useProxy(settings: ProxySettings) {
  restoreFetch()
  const { httpsProxy, httpProxy, noProxy } = (current = settings)
  // Loading the proxy support of `fetch` takes time, so a process without a proxy skips it.
  restoreFetch =
    httpsProxy === undefined && httpProxy === undefined
      ? () => {}
      : setGlobalProxyFromEnv({
          ...(httpsProxy !== undefined && { https_proxy: httpsProxy }),
          ...(httpProxy !== undefined && { http_proxy: httpProxy }),
          no_proxy: [...LOOPBACK, ...noProxy.flatMap(withSubdomains)].join(','),
        })
}

/** Node matches a name without a leading dot exactly. Here, as in curl, such a name also matches its subdomains. */
const withSubdomains = (entry: string) => (/^[.*[]/.test(entry) ? [entry] : [entry, `.${entry}`])

/** Returns the URL of the proxy for a destination, or undefined if the connection is direct. */
export function proxyFor(url: URL): string | undefined {
  const { httpsProxy, httpProxy, noProxy } = current
  const proxy = url.protocol === 'https:' ? httpsProxy : httpProxy
  if (proxy === undefined || isLoopback(url.hostname)) return undefined
  return noProxy.some((entry) => matches(entry, url)) ? undefined : proxy
}

function matches(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === '*') return true
  const [, host = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
  if (onlyPort !== undefined && onlyPort !== (port || (protocol === 'https:' ? '443' : '80')))
    return false
  return host.startsWith('.')
    ? hostname.endsWith(host)
    : hostname === host || hostname.endsWith(`.${host}`)
}
