import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { AccountView } from './frame.ts'

/** @param next a path of ours, where somebody goes who wants nothing of it */
export function welcomeView({ messages }: PageContext, name: string, next: string): AccountView {
  const { accountWelcome: words } = messages
  return {
    title: words.title({ name }),
    isStart: true,
    body: html`<p class="lead">${words.text}</p>
<section class="card">
<h2>${words.importTitle}</h2>
<p>${words.importText}</p>
<div class="actions inline"><a class="button" href="/library/import">${words.importTitle}</a></div>
</section>
<section class="card">
<h2>${words.findTitle}</h2>
<p>${words.findText}</p>
<div class="actions inline"><a class="button" href="/search">${words.find}</a></div>
</section>
<section class="card">
<h2>${words.passkeyTitle}</h2>
<p>${messages.accountPasskeys.text}</p>
<div class="actions inline"><a class="button secondary" href="/account/security/passkeys">${messages.accountPasskeys.add}</a></div>
</section>
<ul class="menu tiles">
<li><a href="/account/profile/picture"><strong>${messages.accountPicture.title}</strong><span>${messages.accountPicture.text}</span></a></li>
<li><a href="/account/preferences"><strong>${messages.preferences.title}</strong><span>${messages.preferences.summary}</span></a></li>
</ul>
<div class="actions inline"><a class="button secondary" href="${next}">${words.later}</a></div>`,
  }
}
