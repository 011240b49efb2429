import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import type { View } from '../ui/page/page.ts'
import { contentSecurityPolicy, PAGE_HEADERS } from '../ui/page/page.ts'
import { sendPage } from '../ui/page/send-page.ts'

/** Dependencies of the developer console. */
export type ConsoleOptions = {
  db: Database
  /** Origin of the pages and the OpenID provider. */
  authUrl: string
  /** Origin of the API. */
  baseUrl: string
  /** Maximum number of apps per account. */
  appsPerAccount: number
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
