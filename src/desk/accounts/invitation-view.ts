import type { Invitation } from '../../accounts/sign-up/invitation-queries.ts'
import {
  DEFAULT_INVITATION_DAYS,
  INVITATION_LIMITS,
} from '../../accounts/sign-up/invitation-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { actionForm, deskTable, deskView, timeText } from '../desk-view.ts'

export type InvitationForm = { uses: string; days: string; note: string }

type InvitationListData = {
  invitations: Invitation[]
  /** Submitted with the form, to detect a repeated request. */
  generation: string
  /** Whether sign-ups need an invitation or can use one. */
  areAccepted: boolean
  /** Values that were refused, with the reason. */
  refused?: { values: InvitationForm; error: string } | undefined
  notice?: Html | undefined
}

/** Renders the invitations with the accounts they admitted, and the form that creates one. */
export function invitationListView(
  context: PageContext,
  { invitations, generation, areAccepted, refused, notice }: InvitationListData,
): View {
  const { desk: texts } = context.messages
  const { columns, invitations: own, accounts } = texts
  const values = refused?.values ?? { uses: '1', days: String(DEFAULT_INVITATION_DAYS), note: '' }
  const number = (name: 'uses' | 'days') =>
    html`<div class="field"><label for="${name}">${own[name]}</label><input id="${name}" name="${name}" type="number" min="1" max="${INVITATION_LIMITS[name]}" value="${values[name]}" required></div>`
  return deskView(context, {
    part: 'invitations',
    lead: own.lead,
    notice: html`${notice}${!areAccepted && html`<div class="notice" role="status"><p>${own.notAccepted}</p></div>`}${refused && html`<div class="notice error" role="alert"><p>${refused.error}</p></div>`}`,
    body: html`${actionForm(context, {
      action: '/desk/invitations',
      button: own.create,
      fields: { generation },
      reason: null,
      controls: html`${number('uses')}${number('days')}<div class="field"><label for="note">${own.note}</label><input id="note" name="note" maxlength="${INVITATION_LIMITS.note}" value="${values.note}" autocomplete="off"></div>`,
    })}
<h2>${own.all}</h2>${deskTable(
      context,
      [
        { text: columns.id, isNumber: true },
        { text: columns.note, isLong: true },
        { text: columns.state },
        { text: own.used, isNumber: true },
        { text: own.expires },
        { text: columns.created },
        { text: texts.parts.accounts, isLong: true },
        { text: accounts.acts },
      ],
      invitations.map((invitation) => [
        invitation.id,
        invitation.note,
        own.states[invitation.state],
        `${invitation.used}/${invitation.uses}`,
        timeText(context, invitation.expires_at),
        html`${timeText(context, invitation.created_at)}${
          invitation.created_by !== null &&
          html`<br><a href="/desk/accounts/${invitation.created_by}">${invitation.creator_name}</a>`
        }`,
        invitation.accounts.map(
          ({ id, name }, index) =>
            html`${index > 0 && ', '}<a href="/desk/accounts/${id}">${name}</a>`,
        ),
        invitation.state === 'usable' &&
          html`<form method="post" action="/desk/invitations/${invitation.id}/revoke">${context.csrfField()}<button class="secondary">${own.revoke}</button></form>`,
      ]),
    )}`,
  })
}

/** Renders the only response that contains the link. It is not in a URL of the desk and not stored. */
export function invitationCreatedView(
  context: PageContext,
  { link, expiresAt }: { link: string; expiresAt: Date },
): View {
  const { invitations: own } = context.messages.desk
  return deskView(context, {
    part: 'invitations',
    title: own.created,
    body: html`<div class="notice" role="status"><p>${own.once}</p></div>
<div class="field"><label for="link">${own.link}</label><textarea id="link" rows="3" readonly autocomplete="off" spellcheck="false">${link}</textarea></div>
<p>${own.expires}: ${timeText(context, expiresAt)}</p>
<div class="actions"><a class="button" href="/desk/invitations">${own.back}</a></div>`,
  })
}
