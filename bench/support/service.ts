import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from './catalog.ts'
import type { Children, ServerProcess } from './children.ts'

/** Where this tree's program is. */
export const OWN_ROOT = join(import.meta.dirname, '../..')

/** The throttles count and are never reached. */
const UNREACHED = '1000000000'

/** The service as users start it, and what a request to it needs. */
export type Service = ServerProcess & {
  /** `Authorization` of a caller with `catalog:full`. */
  headers: { authorization: string }
  /** Address of a galgame's detail. */
  detail(id: number): string
}

/** @param root of the tree whose program is started */
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

/** The same with what a first start makes, and without pictures, which would come from elsewhere. */
export const serveSample = (
  children: Children,
  root: string,
  dataDir: string,
): Promise<ServerProcess> =>
  children.serve([...programOf(root), 'serve', '--json'], {
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    IMAGES: 'off',
    PAGE_REQUESTS_PER_MINUTE: UNREACHED,
  })

/** The program of a tree: as it is built, else its sources. */
function programOf(root: string): string[] {
  const node = join(root, 'node_modules/.bin/node')
  const built = join(root, 'dist/mokuroku.js')
  const program = existsSync(built) ? built : join(root, 'bin/mokuroku.ts')
  return [existsSync(node) ? node : process.execPath, program]
}

/** The form every token request here sends. */
export const TOKEN_FORM = 'grant_type=client_credentials&scope=catalog:full'

export const basicAuthorization = ({ clientId, secret }: Catalog['app']) =>
  `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`

/** An application token; without further scopes one of `TOKEN_FORM`. */
export async function applicationToken(
  url: string,
  app: Catalog['app'],
  furtherScope = '',
): Promise<string> {
  const response = await fetch(`${url}/oidc/token`, {
    method: 'POST',
    headers: { authorization: basicAuthorization(app) },
    body: new URLSearchParams(`${TOKEN_FORM} ${furtherScope}`.trim()),
  })
  const { access_token }: { access_token: string } = JSON.parse(await response.text())
  return access_token
}
