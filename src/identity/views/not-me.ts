import type { AddedCredentials } from '../../accounts/credentials/added-credentials.ts'
import type { AppsSince } from '../../apps/operator/registered-since-queries.ts'
import { html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { when } from '../../ui/when.ts'

export type WhatGoes = AddedCredentials &
  AppsSince & {
    /** Names of those that were allowed something. */
    apps: string[]
    /** When that was done which the mail tells of. */
    since: Date
    /** The address that the account has again; undefined: it has it still. */
    putBack: string | undefined
  }

/** Says what goes, which is only what came since; sends nothing but itself. */
export function notMeView(page: PageContext, action: string, goes: WhatGoes): View {
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
    putBack,
  } = goes
  const parts: Part[] = [
    ...(authenticator ? [html`${words.authenticator} (${when(page, authenticator)})`] : []),
    ...passkeys.map(
      ({ name, created_at: at }) =>
        html`${words.passkey} <strong>${name}</strong> (${when(page, at)})`,
    ),
    ...(codes > 0 ? [words.codes] : []),
    ...apps.map((name) => html`${words.app} <strong>${name}</strong>`),
    ...registered.map((name) => html`${words.registered} <strong>${name}</strong>`),
  ]
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${putBack === undefined ? words.text : words.textPutBack({ email: putBack })}</p>
${
  parts.length > 0 &&
  html`<p>${words.goes({ since: () => when(page, since) })}</p>
<ul>${parts.map((part) => html`<li>${part}</li>\n`)}</ul>`
}
${
  changed.length > 0 &&
  html`<p>${words.changed}</p>
<ul>${changed.map((name) => html`<li><strong>${name}</strong></li>\n`)}</ul>`
}
<p class="quiet">${words.stays({ since: () => when(page, since) })}</p>
<form method="post" action="${action}">
${csrfField()}
<div class="actions"><button class="danger">${words.submit}</button></div>
</form>
<p class="quiet">${words.wasMe}</p>`,
  }
}

/** The address is back, and the way to a password goes there. */
export function putBackView({ messages: { notMe: words } }: PageContext, email: string): View {
  return {
    title: words.doneTitle,
    body: html`<h1>${words.doneTitle}</h1>
<div class="notice success" role="status"><p>${words.done({ email })}</p></div>
<p>${words.doneNext}</p>`,
  }
}
