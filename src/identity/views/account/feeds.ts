import type { FeedState } from '../../../accounts/private-feeds.ts'
import { timeElement } from '../../../ui/format-time.ts'
import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { currentPasswordField, errorNotice } from '../form-parts.ts'
import type { AccountView } from './frame.ts'

const PATH = '/account/feeds'

/** Errors, keyed by field. `form` is for errors that concern the whole form. */
export type FeedErrors = { current_password?: string; form?: string }

/**
 * Shows whether the feeds are on. The form that creates or replaces the addresses submits `generation` and
 * `current_password`; the form that turns them off has no fields.
 */
export function feedsView(
  page: PageContext,
  { created_at: createdAt, generation }: FeedState,
  errors: FeedErrors,
): AccountView {
  const { csrfField, messages } = page
  const { accountFeeds: texts, accountTokens } = messages
  const create = createdAt ? texts.replace : texts.create
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.text}</p>
${errorNotice(errors.form)}
${
  createdAt
    ? html`<section class="card"><h2>${texts.on}</h2>
<dl class="facts"><div><dt>${accountTokens.created}</dt><dd>${timeElement(page, createdAt)}</dd></div></dl>
<form method="post" action="${PATH}/off">
${csrfField()}
<button class="danger">${texts.turnOff}</button>
</form></section>`
    : html`<p>${texts.off}</p>`
}
<h2>${create}</h2>
${createdAt !== null && html`<p>${texts.replaceText}</p>`}
<form method="post" action="${PATH}">
${csrfField()}
<input type="hidden" name="generation" value="${generation}">
${currentPasswordField(page, errors.current_password)}
<div class="actions"><button>${create}</button></div>
</form>`,
  }
}

/** Shows new addresses once. They contain the language of the page, which applies to users who have not chosen one. */
export function newFeedsView(
  { origin, language, messages }: PageContext,
  secret: string,
): AccountView {
  const { accountFeeds: texts, accountTokens, accountCodes, notificationPage } = messages
  const address = (name: string) => `${origin}/feeds/${secret}/${name}?ui_locales=${language}`
  const copyable = (text: string) =>
    html`<ul class="codes panel" data-codes><li><code>${text}</code></li></ul>
<div class="actions inline" hidden data-code-tools>
<button type="button" class="secondary" data-copy data-done="${accountCodes.copied}">${accountCodes.copy}</button>
<span role="status" class="quiet"></span>
</div>`
  return {
    title: texts.newTitle,
    back: { href: PATH, text: texts.title },
    body: html`<p>${texts.save}</p>
<h2>${texts.calendar}</h2>
${copyable(address('calendar.ics'))}
<h2>${notificationPage.title}</h2>
${copyable(address('notifications.xml'))}
<div class="actions"><a class="button" href="${PATH}">${accountTokens.done}</a></div>`,
  }
}
