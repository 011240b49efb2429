import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStaleForm } from '../accounts/generation.ts'
import { keysOf } from '../kernel/typed-records.ts'
import { originOf } from '../audit/origin-of.ts'
import { endPreviousSecret, rotateSecret } from '../apps/owner-queries.ts'
import type { App } from '../apps/queries.ts'
import { fieldOf, queryParameterOf, submittedGeneration } from '../ui/forms/form-field.ts'
import { errorNotice } from '../identity/views/form-parts.ts'
import { html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { timeElement } from '../ui/format-time.ts'
import { PAGE } from '../site/options.ts'
import { appFrame, sectionPath } from './app-frame.ts'
import { passwordField, checkPassword } from './confirm-password.ts'
import { secretView } from './settings/new-app-view.ts'
import { type AppRoute, ownAppOf, type OwnedOptions, sendConsolePage } from './options.ts'

/** Times, in seconds, for which the old secret may remain valid. */
const ENDS = { now: 0, hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const
const END_NAMES = keysOf(ENDS)

const PATH = '/console/apps/:client_id/secrets'

/** Registers the pages that list and rotate an app's secrets, and end the previous one. */
export function secretRoutes(app: FastifyInstance, options: OwnedOptions) {
  const { db, accountOf } = options

  app.get<AppRoute>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const notice =
      queryParameterOf(request, 'ended') === '' ? undefined : request.page.messages.console.ended
    return sendConsolePage(request, reply, secretsView(request.page, own, { notice }))
  })

  app.post<AppRoute>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const { page } = request
    const refused = await checkPassword(options, request, reply)
    if (refused) return refuse(request, reply, own, refused)
    const chosen = fieldOf(request, 'end')
    const previousExpiresIn = ENDS[END_NAMES.find((end) => end === chosen) ?? 'day']
    // A repeated request, such as a reload of the page with the new secret, would end the previous secret early.
    if (isStale(request, own)) return refuseStaleForm(request, reply, own)
    const { app: rotated, secret } = await rotateSecret(
      db,
      accountOf(request),
      own.client_id,
      {
        previousExpiresIn,
        revokeTokens: previousExpiresIn === 0,
        generation: own.secret_generation,
      },
      originOf(request),
    )
    const { console: texts } = page.messages
    const end = rotated.previous_secret_expires_at
    const previousEnd = end ? html`<p>${texts.oldEnds}: ${timeElement(page, end)}</p>` : undefined
    return sendConsolePage(
      request,
      reply,
      secretView(page, rotated, { title: texts.rotated, secret, previousEnd }),
    )
  })

  app.post<AppRoute>(`${PATH}/previous`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    if (isStale(request, own)) return refuseStaleForm(request, reply, own)
    const { client_id: id, secret_generation: generation } = own
    await endPreviousSecret(db, accountOf(request), id, { generation }, originOf(request))
    return reply.redirect(`${sectionPath(own, 'secrets')}?ended=yes`, 303)
  })
}

const isStale = (request: FastifyRequest, own: App) =>
  isStaleForm(own.secret_generation, submittedGeneration(request))

const refuseStaleForm = (request: FastifyRequest, reply: FastifyReply, own: App) => {
  const { page } = request
  const view = secretsView(page, own, { conflict: page.messages.console.replacedBefore })
  return sendConsolePage(request, reply, view, { status: 409 })
}

const refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  own: App,
  { status, error }: { status: number; error: string },
) => sendConsolePage(request, reply, secretsView(request.page, own, { fault: error }), { status })

function secretsView(
  context: PageContext,
  app: App,
  { notice, fault, conflict }: { notice?: string | undefined; fault?: string; conflict?: string },
): View {
  const { console: texts } = context.messages
  const path = sectionPath(app, 'secrets')
  const end = app.previous_secret_expires_at
  const isPreviousSecretLive = end !== null && end.getTime() > Date.now()
  const generation = html`<input type="hidden" name="generation" value="${app.secret_generation}">`
  const body =
    app.client_type === 'public'
      ? html`<p>${texts.publicText}</p>`
      : html`${errorNotice(conflict)}<h2>${texts.liveSecrets}</h2><ul class="secrets">
<li class="card"><p><strong>${texts.currentSecret}</strong></p><p class="quiet">${texts.currentSecretText}</p></li>
${
  isPreviousSecretLive &&
  html`<li class="card"><p><strong>${texts.previousSecret}</strong></p><p>${texts.goodUntil} ${timeElement(context, end)}</p><form method="post" action="${path}/previous">${context.csrfField()}${generation}<p class="quiet">${texts.endPreviousText}</p><button class="danger">${texts.endPrevious}</button></form></li>`
}</ul>
<h2>${texts.rotate}</h2><p class="lead">${texts.rotateText}</p>
<form method="post" action="${path}">${context.csrfField()}${generation}
<div class="field"><label for="end">${texts.oldEnds}</label><select id="end" name="end">${END_NAMES.map(
          (name) =>
            html`<option value="${name}"${name === 'day' && html` selected`}>${texts.ends[name]}</option>`,
        )}</select></div>
${passwordField(context, 'rotate', fault)}
<div class="actions"><button>${texts.rotate}</button></div></form>`
  return appFrame(context, app, { section: 'secrets', notice, body })
}
