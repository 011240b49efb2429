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
    /** Time of the change that the email reported. */
    since: Date
    /** Email address to restore, if the account now has a different one. */
    restoredEmail: string | undefined
  }

/** Lists what submitting the form removes: only what has been added since the change. The form has no fields. */
export function notMeView(page: PageContext, action: string, data: NotMeData): View {
  const { csrfField } = page
  const { notMe: texts } = page.messages
  const {
    authenticator,
    passkeys,
    identities,
    recovery_codes: codes,
    tokens,
    feeds,
    apps,
    registered,
    changed,
    since,
    restoredEmail,
  } = data
  const parts: Part[] = [
    ...(authenticator ? [html`${texts.authenticator} (${timeElement(page, authenticator)})`] : []),
    ...passkeys.map(
      ({ name, created_at: at }) =>
        html`${texts.passkey} <strong>${name}</strong> (${timeElement(page, at)})`,
    ),
    ...identities.map(
      ({ issuer, created_at: at }) =>
        html`${texts.provider} <strong>${issuer}</strong> (${timeElement(page, at)})`,
    ),
    ...(codes > 0 ? [texts.codes] : []),
    ...tokens.map(
      ({ name, created_at: at }) =>
        html`${texts.token} <strong>${name}</strong> (${timeElement(page, at)})`,
    ),
    ...(feeds ? [html`${texts.feeds} (${timeElement(page, feeds)})`] : []),
    ...apps.map((name) => html`${texts.app} <strong>${name}</strong>`),
    ...registered.map((name) => html`${texts.registered} <strong>${name}</strong>`),
  ]
  return {
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<p>${restoredEmail === undefined ? texts.text : texts.textPutBack({ email: restoredEmail })}</p>
${
  parts.length > 0 &&
  html`<p>${texts.removed({ since: () => timeElement(page, since) })}</p>
<ul>${parts.map((part) => html`<li>${part}</li>\n`)}</ul>`
}
${
  changed.length > 0 &&
  html`<p>${texts.changed}</p>
<ul>${changed.map((name) => html`<li><strong>${name}</strong></li>\n`)}</ul>`
}
<p class="quiet">${texts.kept({ since: () => timeElement(page, since) })}</p>
<form method="post" action="${action}">
${csrfField()}
<div class="actions"><button class="danger">${texts.submit}</button></div>
</form>
<p class="quiet">${texts.wasMe}</p>`,
  }
}

/** Confirms that the email address was restored and that a link for a new password was sent to it. */
export function emailRestoredView(
  { messages: { notMe: texts } }: PageContext,
  email: string,
): View {
  return {
    title: texts.doneTitle,
    body: html`<h1>${texts.doneTitle}</h1>
<div class="notice success" role="status"><p>${texts.done({ email })}</p></div>
<p>${texts.doneNext}</p>`,
  }
}
