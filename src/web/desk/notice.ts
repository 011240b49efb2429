import type { FastifyReply, FastifyRequest } from 'fastify'
import { html, type Html } from '../../pages/html.ts'
import type { Messages } from '../../pages/messages/en.ts'
import { UNDO } from './act.ts'

export type DeskNotice = {
  done: keyof Messages['desk']['done']
  /** The form that undoes it, if that can be. */
  undo?: { action: string; fields?: Record<string, string> }
}

/** A cookie, so that no link can make a page say what has not happened. */
const COOKIE = 'mokuroku-desk'
const OPTIONS = { path: '/desk', httpOnly: true, sameSite: 'lax' } as const

/** Sends the browser on after an act, to a page that says what was done and offers to undo it. */
export function sendDone(reply: FastifyReply, path: string, notice: DeskNotice): FastifyReply {
  const value = encodeURIComponent(JSON.stringify(notice))
  return reply.setCookie(COOKIE, value, { ...OPTIONS, maxAge: 60 }).redirect(path, 303)
}

/** What is to be said on this page, which is then forgotten. */
export function takeDone(request: FastifyRequest, reply: FastifyReply): Html | undefined {
  const text = request.cookies[COOKIE]
  if (text === undefined) return undefined
  void reply.clearCookie(COOKIE, OPTIONS)
  const notice = parse(text)
  const { messages, csrfField } = request.page
  const { desk: words } = messages
  const said = notice && new Map(Object.entries(words.done)).get(notice.done)
  if (!notice || said === undefined) return undefined
  const { undo } = notice
  const fields = { [UNDO]: 'yes', ...undo?.fields }
  return html`<div class="notice done" role="status"><p>${said}</p>${
    undo &&
    html`<form method="post" action="${undo.action}" class="desk-find">${csrfField()}${Object.entries(
      fields,
    ).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<label>${words.undoWhy}<input name="note" maxlength="1000" autocomplete="off"></label><button class="secondary">${words.undo}</button></form>`
  }</div>`
}

function parse(text: string): DeskNotice | undefined {
  try {
    // as: what a member is not, is not shown
    const notice = JSON.parse(decodeURIComponent(text)) as DeskNotice
    return notice.undo === undefined || /^\/desk\/[\w/:.-]+$/.test(notice.undo.action) ? notice : undefined
  } catch {
    return undefined
  }
}
