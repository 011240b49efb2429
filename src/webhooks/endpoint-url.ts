import { isLoopback } from '../kernel/networks.ts'

/** Maximum length of the URL of an endpoint. */
export const MAX_URL_LENGTH = 2_048
/** Lower ports belong to other protocols, which must not receive requests of this service. */
const MIN_OTHER_PORT = 1_024

/**
 * Returns the normalized URL of an endpoint: https without credentials, on the usual port or an unprivileged one. A
 * service on a developer's own machine also accepts http on that machine.
 *
 * @param isLocal whether this service runs on a developer's own machine
 * @returns undefined if the URL is not allowed
 */
export function readEndpointUrl(text: string, isLocal: boolean): string | undefined {
  const url = URL.parse(text.trim())
  if (!url || url.username || url.password || url.href.length > MAX_URL_LENGTH) return undefined
  const isOwnMachine = isLoopback(url.hostname)
  if (isOwnMachine ? !isLocal || !/^https?:$/.test(url.protocol) : url.protocol !== 'https:')
    return undefined
  if (url.port !== '' && Number(url.port) < MIN_OTHER_PORT) return undefined
  url.hash = ''
  return url.href
}
