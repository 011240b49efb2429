import type { Identity } from '../identity/identity.ts'
import type { Config } from '../config/config.ts'
import type { ResponseCache } from '../catalog/cache/response-cache.ts'
import type { Database } from '../db/database.ts'
import type { ImportQueue } from '../ratings/lists/imports/import-queue.ts'
import type { Searcher } from '../search/search.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the sitemap lists the address. */
    isListed?: boolean
  }
}

/** Where the parts of the service are (§1), without slashes at the end. */
export type ServiceAddresses = { baseUrl: string; apiUrl: string; authUrl: string }

/** What the pages of the catalog work with. */
export type WebOptions = {
  db: Database
  /** Of the catalog's answers, which the pages of entries share with its routes. */
  cache: ResponseCache
  /** The imports of lists that this process writes, the API's among them. */
  imports: ImportQueue
  frequencies: Searcher['frequencies']
  /** `mailto:` or https. */
  securityContact: string
  addresses: ServiceAddresses
  operations: Operations
}

/** What the desk reaches beside the database. */
type Operations = {
  announceSignOut: Identity['notifyAppsOfSignOut']
  /** Has the outbox looked at now: a mail was just added. */
  wakeOutbox: () => void
  /** Undefined: none is used. */
  isRedisThere: (() => boolean) | undefined
  config: Pick<Config, 'databasePoolSize' | 'workers'>
}

/** Of every page of the catalog: anybody may look, and an address at so many a minute. */
export const PAGE = { config: { access: 'page' }, schema: { hide: true } } as const

/** Route options of pages that the sitemap lists. */
export const LISTED_PAGE = {
  config: { ...PAGE.config, isListed: true },
  schema: PAGE.schema,
} as const

/** Route options of pages whose form holds long text. */
export const DRAFT_PAGE = {
  config: { ...PAGE.config, keepsDraft: true },
  schema: PAGE.schema,
} as const
