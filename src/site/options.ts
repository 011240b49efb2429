import type { Identity } from '../identity/identity.ts'
import type { Config } from '../config/config.ts'
import type { Language } from '../i18n/languages.ts'
import type { LegalPages } from '../instance/legal-pages.ts'
import type { FailedAuthentications } from '../http/admission/failed-authentications.ts'
import type { ResponseCache } from '../catalog/cache/response-cache.ts'
import type { Database } from '../db/database.ts'
import type { Reads } from '../db/replicas/reads.ts'
import type { ImportQueue } from '../ratings/lists/imports/import-queue.ts'
import type { Searcher } from '../search/search.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the sitemap lists this route. */
    isListed?: boolean
  }
}

/** URLs of the service’s interfaces (§1), without trailing slashes. */
export type ServiceUrls = { baseUrl: string; apiUrl: string; authUrl: string }

/** Options for all page routes. */
export type PageRouteOptions = {
  db: Database
  reads: Reads
  /** Cache of catalog responses, shared with the API routes. */
  cache: ResponseCache
  /** List imports that this process is writing, including those from the API. */
  imports: ImportQueue
  frequencies: Searcher['frequencies']
  /** A `mailto:` or https URL. */
  contact: string
  legalPages: LegalPages
  defaultLanguage: Language
  urls: ServiceUrls
  operations: DeskDependencies
  failedAuthentications: FailedAuthentications
}

/** Dependencies of the desk beyond the database. */
type DeskDependencies = {
  announceSignOut: Identity['notifyAppsOfSignOut']
  /** Makes the outbox send new emails now. */
  wakeOutbox: () => void
  /** Undefined if Redis is not configured. */
  isRedisConnected: (() => boolean) | undefined
  config: Config
}

/** Route options for catalog pages: public, with a rate limit per client IP address. */
export const PAGE = { config: { access: 'page' }, schema: { hide: true } } as const

/** Route options for pages that the sitemap lists. */
export const LISTED_PAGE = {
  config: { ...PAGE.config, isListed: true },
  schema: PAGE.schema,
} as const

/** Route options for pages whose form is saved across a sign-in. */
export const DRAFT_PAGE = {
  config: { ...PAGE.config, keepsDraft: true },
  schema: PAGE.schema,
} as const
