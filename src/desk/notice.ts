import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { html, type Html } from '../ui/html.ts'
import type { Messages } from '../ui/messages.ts'
import { SignedCookie } from '../ui/forms/signed-cookie.ts'
import { UNDO_FIELD } from './moderator-action.ts'
import { deskViewer } from './guard.ts'
import { undoFormOf, type UndoActionName } from './log/undo-form.ts'

export type DeskNotice = {
  done: keyof Messages['desk']['done']
  /** Undo action and the ID it takes. */
  undo?: { action: UndoActionName; id: string | number }
}

/** Notices travel in a cookie, so that no link can make a page show a false one. */
const cookie = new SignedCookie('mokuroku-desk', { lifetimeSeconds: 60, path: '/desk' })

/** Redirects after an action to a page that confirms it and offers to undo it. */
export function redirectWithDone(
  reply: FastifyReply,
  path: string,
  { done, undo }: DeskNotice,
): FastifyReply {
  const value = undo ? `${done} ${undo.action} ${undo.id}` : done
  cookie.set(reply, value, deskViewer(reply.request).accountId)
  return reply.redirect(path, 303)
}

/** Returns the notice for this page, once. The cookie names the action and its undo; the form is built here. */
export async function takeDoneNotice(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Html | undefined> {
  const { accountId } = deskViewer(request)
  const [done = '', action, id] = cookie.take(request, reply, accountId)?.split(' ') ?? []
  const { messages, csrfField } = request.page
  const { desk: texts } = messages
  const message = new Map(Object.entries(texts.done)).get(done)
  if (message === undefined) return undefined
  const undo =
    action !== undefined && id !== undefined
      ? await undoFormOf(db, action, id, accountId)
      : undefined
  const fields = { [UNDO_FIELD]: 'yes', ...undo?.fields }
  return html`<div class="notice done cluster" role="status"><p>${message}</p>${
    undo &&
    html`<form method="post" action="${undo.action}" class="desk-find cluster">${csrfField()}${Object.entries(
      fields,
    ).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<label>${texts.undoWhy}<input name="note" maxlength="1000" autocomplete="off"></label><button class="secondary">${texts.undo}</button></form>`
  }</div>`
}
