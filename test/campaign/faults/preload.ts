/**
 * Faults inside a service process, loaded with `--import`. While the file in MOKUROKU_FAIL_LOOKUP exists, looking up
 * `localhost` fails like a name server that is away. SIGUSR2 blocks the event loop without end.
 */
import dns from 'node:dns'
import { existsSync } from 'node:fs'

const flag = process.env['MOKUROKU_FAIL_LOOKUP'] ?? ''
const { lookup } = dns
const failingLookup = (host: string, ...rest: unknown[]) => {
  if (host !== 'localhost' || !existsSync(flag))
    return (lookup as (...args: unknown[]) => unknown)(host, ...rest)
  const done = rest.at(-1) as (error: Error) => void
  done(Object.assign(new Error('getaddrinfo EAI_AGAIN localhost'), { code: 'EAI_AGAIN' }))
  return {}
}
// as: all overloads end with the callback
dns.lookup = failingLookup as typeof lookup

process.on('SIGUSR2', () => {
  for (;;);
})
