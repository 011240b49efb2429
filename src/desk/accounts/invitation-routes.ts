import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  createInvitationOnce,
  INVITATION_LIMITS,
  invitationGeneration,
  invitationLink,
  listInvitations,
  revokeInvitation,
} from '../../accounts/sign-up/invitation-queries.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { NOT_IN_LINE } from '../../kernel/printable.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { fieldOf, submittedGeneration } from '../../ui/forms/form-field.ts'
import { FOR_ADMINS } from '../guard.ts'
import { actorOf } from '../moderator-action.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import {
  invitationCreatedView,
  invitationListView,
  type InvitationForm,
} from './invitation-view.ts'

/** Registers the pages that create, list and revoke invitations. */
export async function deskInvitationRoutes(app: FastifyInstance, options: PageRouteOptions) {
  const { db, urls, operations } = options

  app.get('/desk/invitations', FOR_ADMINS, async (request, reply) => show(request, reply))

  app.post('/desk/invitations', FOR_ADMINS, async (request, reply) => {
    const values = {
      uses: fieldOf(request, 'uses').trim(),
      days: fieldOf(request, 'days').trim(),
      note: fieldOf(request, 'note').trim(),
    }
    const { uses, days, note } = INVITATION_LIMITS
    const isValid =
      isUpTo(values.uses, uses) &&
      isUpTo(values.days, days) &&
      values.note.length <= note &&
      (values.note === '' || !NOT_IN_LINE.test(values.note))
    const { bad, createdBefore } = request.page.messages.desk.invitations
    if (!isValid) return show(request, reply, { values, error: bad }, 422)
    const created = await createInvitationOnce(
      db,
      submittedGeneration(request),
      { uses: Number(values.uses), days: Number(values.days), note: values.note },
      actorOf(request),
    )
    if (!created) return show(request, reply, { values, error: createdBefore }, 409)
    const { code, expiresAt } = created
    const link = invitationLink(urls.authUrl, code)
    return sendCatalogPage(request, reply, invitationCreatedView(request.page, { link, expiresAt }))
  })

  app.post<{ Params: { id: string } }>(
    '/desk/invitations/:id/revoke',
    FOR_ADMINS,
    async (request, reply) => {
      const outcome = await revokeInvitation(db, parseId(request.params.id), actorOf(request))
      if (outcome === 'missing') throw notFound()
      const done = outcome === 'done' ? 'invitationRevoked' : 'already'
      return redirectWithDone(reply, '/desk/invitations', { done })
    },
  )

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    refused?: { values: InvitationForm; error: string },
    status = 200,
  ) {
    // Read first: an invitation created in between makes the form stale.
    const generation = String(await invitationGeneration(db))
    const view = invitationListView(request.page, {
      invitations: await listInvitations(db),
      generation,
      areAccepted: ['invitation', 'approval'].includes(operations.config.signUp),
      refused,
      notice: await takeDoneNotice(db, request, reply),
    })
    return sendCatalogPage(request, reply, view, { status })
  }
}

const isUpTo = (text: string, max: number) =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= max
