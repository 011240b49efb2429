import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from './program.ts'
import { replaceEach } from './replace-each.ts'

/** Returns a configuration in `examples/proxies`. */
export const readExample = (file: string) =>
  readFileSync(join(CHECKOUT, 'examples/proxies', file), 'utf8')

/** Returns HAProxy's example without TLS, with the servers of the test and a shorter check interval. */
export function haproxy(port: number, servers: number[]) {
  const example = readExample('haproxy.cfg')
  const lines = servers.map(
    (server, at) => `server mokuroku${at} 127.0.0.1:${server} check inter 300ms`,
  )
  return `
defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
  timeout check 10s
frontend public
  bind 127.0.0.1:${port}
  default_backend mokuroku
${replaceEach(example.slice(example.indexOf('\nbackend mokuroku')), {
  'server mokuroku1 127.0.0.1:14790 check inter 1s': lines.join('\n  '),
})}`
}
