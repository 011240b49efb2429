import type { FastifyRequest } from 'fastify'
import type { ChangeContext } from '../../../accounts/mail/outbox/outbox.ts'
import type { Account } from '../../../accounts/queries.ts'
import type { BrowserSession } from '../browser-session.ts'
import { originOf } from '../../../audit/origin-of.ts'
import type { BrowserOptions } from '../options.ts'

/** Whose account the page is about: never what the request says, but who is signed in. */
export type Owner = { account: Account; session: BrowserSession }

export type AccountOptions = BrowserOptions & { ownerOf: (request: FastifyRequest) => Owner }

/** Of every account page: public to the guards of the API, since the hook above them asks for a session. */
export const GUARDED = { config: { access: 'public' }, schema: { hide: true } } as const

/** Route options of account pages whose form holds long text. */
export const DRAFT_GUARDED = {
  config: { ...GUARDED.config, keepsDraft: true },
  schema: GUARDED.schema,
} as const

/** The context of a change that its owner gets a mail about. */
export const changeContext = (request: FastifyRequest): ChangeContext => ({
  ...originOf(request),
  language: request.page.language,
})
