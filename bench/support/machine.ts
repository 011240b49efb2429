import { createRequire } from 'node:module'
import { cpus, totalmem } from 'node:os'
import { queryOnce } from '#test/query-once.ts'
import type { Children } from './children.ts'

const require = createRequire(import.meta.url)

/** Describes the machine, one line per fact. */
export async function describeMachine(children: Children, databaseUrl: string): Promise<string[]> {
  const [cpu] = cpus()
  const packages = ['fastify', 'pg', 'oidc-provider'].map((name) => `${name} ${versionOf(name)}`)
  const memory = Math.round(totalmem() / 2 ** 30)
  const [server] = await queryOnce<{ server_version: string }>(databaseUrl, 'show server_version')
  return [
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GiB of memory`,
    `Node ${process.versions.node}, ${packages.join(', ')}`,
    `PostgreSQL ${server?.server_version}, wrk ${await wrkVersion(children)}`,
  ]
}

/** @throws {Error} with instructions if wrk is not installed */
export async function wrkVersion(children: Children): Promise<string> {
  // `wrk --version` exits with status 1.
  const output = await children.run(['sh', '-c', 'wrk --version 2>&1 || true'])
  const version = /^wrk (\S+)/.exec(output)?.[1]
  if (!version) throw new Error('wrk is missing: apt-get install wrk')
  return version
}

function versionOf(name: string): string {
  const { version }: { version: string } = require(`${name}/package.json`)
  return version
}
