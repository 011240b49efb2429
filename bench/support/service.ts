import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from './catalog.ts'
import type { Children, ServerProcess } from './children.ts'

/** Path of this tree's program. */
export const OWN_ROOT = join(import.meta.dirname, '../..')

/** Limits so high that throttles count but never refuse. */
const UNREACHED = '1000000000'

/** The service as users start it, and what a request to it needs. */
export type Service = ServerProcess & {
  /** `Authorization` header of an app with `catalog:full`. */
  headers: { authorization: string }
  /** Returns the URL of a galgame's detail. */
  detail(id: number): string
}

/** @param root folder of the tree whose program is started */
export async function serveCatalog(
  children: Children,
  root: string,
  { databaseUrl, dataDir, app }: Catalog,
  settings: NodeJS.ProcessEnv,
): Promise<Service> {
  const server = await children.serve([...programOf(root), 'serve', '--no-demo', '--json'], {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    BACKUP_EVERY: 'off',
    LOG_LEVEL: 'warn',
    CATALOG_REQUESTS_PER_MINUTE: UNREACHED,
    TOKEN_REQUESTS_PER_MINUTE: UNREACHED,
    USER_REQUESTS_PER_MINUTE: UNREACHED,
    ANONYMOUS_REQUESTS_PER_MINUTE: UNREACHED,
    PAGE_REQUESTS_PER_MINUTE: UNREACHED,
    DEVELOPER_REQUESTS_PER_MINUTE: UNREACHED,
    ...settings,
  })
  const token = await applicationToken(server.url, app)
  return {
    ...server,
    headers: { authorization: `Bearer ${token}` },
    detail: (id) => `${server.url}/api/v3/open/galgames/${id}`,
  }
}

/** Starts the service as on a first start, without pictures, which would be fetched from elsewhere. */
export const serveSample = (
  children: Children,
  root: string,
  dataDir: string,
): Promise<ServerProcess> =>
  children.serve([...programOf(root), 'serve', '--json'], {
    PORT: '0',
    DATA_DIR: dataDir,
    BACKUP_EVERY: 'off',
    LOG_LEVEL: 'warn',
    IMAGES: 'off',
    PAGE_REQUESTS_PER_MINUTE: UNREACHED,
  })

/** Returns the program of a tree: its build, or else its source files. */
function programOf(root: string): string[] {
  const node = join(root, 'node_modules/.bin/node')
  const built = join(root, 'dist/mokuroku.js')
  const program = existsSync(built) ? built : join(root, 'bin/mokuroku.ts')
  return [existsSync(node) ? node : process.execPath, program]
}

/** Form body of every token request in the bench. */
export const TOKEN_FORM = 'grant_type=client_credentials&scope=catalog:full'

export const encodeCredentials = ({ clientId, secret }: Catalog['app']) =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

/** Requests an app token with the scopes of `TOKEN_FORM`, unless others are given. */
export async function applicationToken(
  url: string,
  app: Catalog['app'],
  furtherScope = '',
): Promise<string> {
  const response = await fetch(`${url}/oidc/token`, {
    method: 'POST',
    headers: { authorization: encodeCredentials(app) },
    body: new URLSearchParams(`${TOKEN_FORM} ${furtherScope}`.trim()),
  })
  const { access_token }: { access_token: string } = JSON.parse(await response.text())
  return access_token
}
