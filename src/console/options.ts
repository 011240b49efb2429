import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { UploadBucket } from '../uploads/upload-bucket.ts'
import { contentSecurityPolicy, PAGE_HEADERS, type View } from '../ui/page/page.ts'
import { sendPage } from '../ui/page/send-page.ts'
import { requireOwnApp } from '../apps/owner-queries.ts'
import type { App } from '../apps/queries.ts'
import { isClientId } from '../apps/secrets.ts'

/** Dependencies of the developer console. */
export type ConsoleOptions = {
  db: Database
  uploadBucket: UploadBucket | undefined
  /** Origin of the pages and the OpenID provider. */
  authUrl: string
  /** Origin of the API. */
  baseUrl: string
  /** Maximum number of apps per account. */
  appsPerAccount: number
  webhooks: Config['webhooks']
  /** Encrypts the secrets of webhooks. */
  secretKey: string | undefined
  /** Wakes the outbox after an email has been enqueued. */
  wakeOutbox: () => void
}

/** Adds the request's account, which comes from the session and never from parameters. */
export type OwnedOptions = ConsoleOptions & { accountOf: (request: FastifyRequest) => number }

export type AppRoute = { Params: { client_id: string } }

/** Allows app logos from this service only. */
const HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': contentSecurityPolicy("'self' data:"),
}

/** Sends a page of the console, which is not cached or indexed. */
export const sendConsolePage = (
  request: FastifyRequest,
  reply: FastifyReply,
  view: View,
  { status = 200 }: { status?: number } = {},
) =>
  sendPage(request, reply, {
    status,
    headers: HEADERS,
    full: true,
    ...view,
    head: { robots: 'noindex' },
    styles: ['console.css'],
    scripts: ['/assets/console.js'],
  })

/**
 * Returns the app named in the path.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` if it does not exist or has another owner
 */
export const ownAppOf = (
  { db, accountOf }: OwnedOptions,
  request: FastifyRequest<AppRoute>,
): Promise<App> =>
  requireOwnApp(
    db,
    accountOf(request),
    isClientId(request.params.client_id) ? request.params.client_id : '',
  )

export const appPath = ({ client_id }: Pick<App, 'client_id'>, section = '') =>
  `/console/apps/${client_id}${section === '' ? '' : `/${section}`}`
