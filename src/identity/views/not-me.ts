import type { AddedCredentials } from '../../accounts/credentials/added-credentials.ts'
import type { AppsSince } from '../../apps/operator/registered-since-queries.ts'
import { html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { timeElement } from '../../ui/format-time.ts'

export type NotMeData = AddedCredentials &
  AppsSince & {
    /** Names of apps with new consents or grants. */
    apps: string[]
    /** Time of the change that the mail reported. */
    since: Date
    /** Email address to restore, if the account now has a different one. */
    restoredEmail: string | undefined
  }

/** Lists what submitting the form removes: only what was added since the change. The form has no fields. */
export function notMeView(page: PageContext, action: string, data: NotMeData): View {
  const { csrfField } = page
  const { notMe: words } = page.messages
  const {
    authenticator,
    passkeys,
    recovery_codes: codes,
    apps,
    registered,
    changed,
    since,
    restoredEmail,
  } = data
  const parts: Part[] = [
    ...(authenticator ? [html`${words.authenticator} (${timeElement(page, authenticator)})`] : []),
    ...passkeys.map(
      ({ name, created_at: at }) =>
        html`${words.passkey} <strong>${name}</strong> (${timeElement(page, at)})`,
    ),
    ...(codes > 0 ? [words.codes] : []),
    ...apps.map((name) => html`${words.app} <strong>${name}</strong>`),
    ...registered.map((name) => html`${words.registered} <strong>${name}</strong>`),
  ]
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${restoredEmail === undefined ? words.text : words.textPutBack({ email: restoredEmail })}</p>
${
  parts.length > 0 &&
  html`<p>${words.goes({ since: () => timeElement(page, since) })}</p>
<ul>${parts.map((part) => html`<li>${part}</li>\n`)}</ul>`
}
${
  changed.length > 0 &&
  html`<p>${words.changed}</p>
<ul>${changed.map((name) => html`<li><strong>${name}</strong></li>\n`)}</ul>`
}
<p class="quiet">${words.stays({ since: () => timeElement(page, since) })}</p>
<form method="post" action="${action}">
${csrfField()}
<div class="actions"><button class="danger">${words.submit}</button></div>
</form>
<p class="quiet">${words.wasMe}</p>`,
  }
}

/** Confirms that the email address was restored and that a link for a new password was mailed to it. */
export function emailRestoredView(
  { messages: { notMe: words } }: PageContext,
  email: string,
): View {
  return {
    title: words.doneTitle,
    body: html`<h1>${words.doneTitle}</h1>
<div class="notice success" role="status"><p>${words.done({ email })}</p></div>
<p>${words.doneNext}</p>`,
  }
}
