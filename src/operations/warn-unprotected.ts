import { isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { isLoopbackAddress } from '../kernel/networks.ts'

/** Whether other machines can reach a server on this host. */
export function isPublicHost(host: string) {
  return isIP(host) === 0 ? host !== 'localhost' : !isLoopbackAddress(host)
}

/**
 * Warns about each missing protection of a publicly reachable service. None of them matters on a private machine.
 *
 * @param hasDemo whether there is a demo, whose secrets are stored in a file
 */
export function warnUnprotected(config: Config, hasDemo: boolean, log: Pick<Logger, 'warn'>) {
  const { host, authUrl, secretKey, smtpUrl } = config
  if (!isPublicHost(host) && !isPublicHost(new URL(authUrl).hostname.replace(/^\[|\]$/g, '')))
    return
  const named = new URL(authUrl).hostname
  if (secretKey === undefined)
    log.warn(
      'SECRET_KEY is not set: signing keys and secrets of authenticator apps are stored as plain text',
    )
  if (smtpUrl === undefined)
    log.warn(
      'SMTP_URL is not set: no mail is sent, and password reset links are written to the log',
    )
  if (!isPublicHost(named))
    log.warn(
      `AUTH_URL is not set or names only this machine: other machines are redirected to ${authUrl}`,
    )
  else if (authUrl.startsWith('http:'))
    log.warn(`AUTH_URL is ${authUrl}: passwords and tokens are sent without encryption`)
  if (hasDemo)
    log.warn('The demo is enabled: anyone who can read demo.json can sign in. Start with --no-demo')
}
