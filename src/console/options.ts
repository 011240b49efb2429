import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import type { View } from '../ui/page/page.ts'
import { contentSecurityPolicy, PAGE_HEADERS } from '../ui/page/page.ts'
import { sendPage } from '../ui/page/send-page.ts'

/** What the developer console works with. */
export type ConsoleOptions = {
  db: Database
  /** Where our pages and the OpenID provider are. */
  authUrl: string
  /** Where the API is. */
  baseUrl: string
  /** That an account may have. */
  appsPerAccount: number
  /** Has the outbox looked at now: a mail was just added. */
  wakeOutbox: () => void
}

/** The same, with whose console it is: never what the request says, but who is signed in. */
export type OwnedOptions = ConsoleOptions & { accountOf: (request: FastifyRequest) => number }

export type OfApp = { Params: { client_id: string } }

/** Pictures of apps come from us alone. */
const HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': contentSecurityPolicy("'self' data:"),
}

/** Sends a page of the console: kept nowhere, and for no search engine. */
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
