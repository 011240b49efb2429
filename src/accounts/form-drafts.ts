import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { cookieName } from '../ui/forms/cookie-name.ts'
import { fieldOf } from '../ui/forms/form-field.ts'
import { FORM_OWNER, type PageContext } from '../ui/page/page-context.ts'
import { storeReturnPath, redirectToSignIn } from '../ui/forms/return-path.ts'
import {
  DRAFT_MINUTES,
  deleteDraft,
  findDraft,
  saveDraft,
  type FormDraft,
} from './form-draft-queries.ts'
import { hashToken, newToken } from '../kernel/opaque-tokens.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the form is saved across a sign-in. The handler must show a restored form instead of saving it.
     */
    keepsDraft?: boolean
  }
}

/** Path at which a browser continues a form after signing in. */
export const RESTORED_DRAFT_PATH = '/draft'
const RESTORED = '_restored'
/**
 * Maximum total length, in characters, of all fields: a review of 5,000 characters, a note of 10,000, and the rest of
 * the form. Line breaks count twice.
 */
const MAX_DRAFT_LENGTH = 32_000

/** Whether to save the form of an anonymous request. Its body is read only if the request has our CSRF cookie. */
export const canSaveDraft = ({ method, routeOptions, cookies, page }: FastifyRequest): boolean =>
  method === 'POST' &&
  routeOptions.config.keepsDraft === true &&
  cookies[cookieName('csrf', isSecure(page))] !== undefined

/**
 * Stores the form of a user whose session has ended, bound to this browser, and redirects to the sign-in page.
 *
 * @param start path to return to after the sign-in if the form is not stored
 */
export async function saveDraftAndSignIn(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  start: string,
): Promise<FastifyReply> {
  const fields = textFields(request)
  const length = JSON.stringify(fields).length
  // A form loaded without a session belongs to no account.
  if (fields[FORM_OWNER] === undefined || length > MAX_DRAFT_LENGTH)
    return redirectToSignIn(request, reply, start)
  const token = newToken()
  if (
    !(await saveDraft(db, hashToken(token), hashToken(request.ip), { path: request.url, fields }))
  )
    return redirectToSignIn(request, reply, start)
  void reply.setCookie(nameOf(request), token, { maxAge: DRAFT_MINUTES * 60 })
  storeReturnPath(reply, RESTORED_DRAFT_PATH)
  return reply.header('cache-control', 'no-store').redirect('/sign-in', 303)
}

/**
 * Returns the form that this browser sent while signed out, if the viewer's account wrote it. A field marks the form
 * as restored.
 */
export async function findOwnDraft(
  db: Database,
  request: FastifyRequest,
): Promise<FormDraft | undefined> {
  const token = request.cookies[nameOf(request)]
  const draft = token === undefined ? undefined : await findDraft(db, hashToken(token))
  const { [FORM_OWNER]: owner, ...fields } = draft?.fields ?? {}
  if (!draft || owner !== String(request.page.viewer?.accountId)) return undefined
  return { path: draft.path, fields: { ...fields, [RESTORED]: 'yes' } }
}

/** Deletes the draft of this browser after its form has been restored. */
export async function discardDraft(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const token = request.cookies[nameOf(request)]
  if (token === undefined) return
  void reply.clearCookie(nameOf(request))
  await deleteDraft(db, hashToken(token))
}

/** Whether a form was restored after a sign-in. Such a form is shown again instead of being saved. */
export const isRestored = (request: FastifyRequest): boolean => fieldOf(request, RESTORED) === 'yes'

const nameOf = ({ page }: FastifyRequest) => cookieName('draft', isSecure(page))

const isSecure = ({ origin }: PageContext) => origin.startsWith('https:')

const textFields = ({ body }: FastifyRequest): FormDraft['fields'] =>
  typeof body === 'object' && body !== null
    ? Object.fromEntries(
        Object.entries(body).filter(
          (field): field is [string, string | string[]] =>
            field[0] !== '_csrf' && [field[1]].flat().every((value) => typeof value === 'string'),
        ),
      )
    : {}
