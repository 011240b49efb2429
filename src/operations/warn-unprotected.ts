import { BlockList, isIP } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether others than this machine can reach what listens there. */
function isPublic(host: string) {
  const family = isIP(host)
  return family === 0 ? host !== 'localhost' : !loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Says in one line each what a service that others can reach does without. At home, none of it matters.
 *
 * @param hasDemo whether it has an account and apps whose secrets lie in a file
 */
export function warnUnprotected(config: Config, hasDemo: boolean, log: Pick<Logger, 'warn'>) {
  const { host, authUrl, secretKey, smtpUrl } = config
  if (!isPublic(host) && !isPublic(new URL(authUrl).hostname.replace(/^\[|\]$/g, ''))) return
  const named = new URL(authUrl).hostname
  if (secretKey === undefined)
    log.warn(
      'SECRET_KEY is not set: signing keys and secrets of authenticator apps are stored as plain text',
    )
  if (smtpUrl === undefined)
    log.warn(
      'SMTP_URL is not set: nobody gets mail, and the links that reset passwords are in the log',
    )
  if (!isPublic(named))
    log.warn(`AUTH_URL is not set, or names this machine alone: others are sent to ${authUrl}`)
  else if (authUrl.startsWith('http:'))
    log.warn(`AUTH_URL is ${authUrl}: passwords and tokens are sent without encryption`)
  if (hasDemo)
    log.warn('There is a demo: whoever reads demo.json may sign in. Start with --no-demo')
}
