import type { FastifyRequest } from 'fastify'
import type { ChangeContext } from '../../../accounts/mail/outbox.ts'
import type { Account } from '../../../accounts/queries.ts'
import type { BrowserSession } from '../browser-session.ts'
import { originOf } from '../complete-sign-in.ts'
import type { BrowserOptions } from '../options.ts'

/** Whose account the page is about: never what the request says, but who is signed in. */
export type Owner = { account: Account; session: BrowserSession }

export type AccountOptions = BrowserOptions & { ownerOf: (request: FastifyRequest) => Owner }

/** Of every route below the guard of the account pages, which lets nobody in who is not signed in. */
export const GUARDED = { config: { access: 'public' }, schema: { hide: true } } as const

/** What a change that is told by mail needs to know of its request. */
export const changeContext = (request: FastifyRequest): ChangeContext => ({
  ...originOf(request),
  language: request.page.language,
})
