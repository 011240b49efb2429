import { hiddenFields, type ProviderForm } from '../../ui/forms/forms.ts'
import { html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'

/** Asks whether to also sign out of this service. The form submits `logout=yes`, or nothing to stay signed in. */
export function signOutView({
  messages: { signOut },
  form,
  appName,
}: {
  messages: Messages
  form: ProviderForm
  appName?: string
}): View {
  return {
    title: signOut.title,
    body: html`<h1>${signOut.title}</h1>
<p>${appName === undefined ? signOut.question : signOut.asks({ app: appName })}</p>
<form method="post" action="${form.action}">
${hiddenFields(form.fields)}
<div class="actions side-by-side">
<button name="logout" value="yes">${signOut.yes}</button>
<button class="secondary">${signOut.no}</button>
</div>
</form>`,
  }
}

export const signedOutView = ({ messages: { signOut } }: { messages: Messages }): View => ({
  title: signOut.doneTitle,
  scripts: ['/assets/signed-out.js'],
  body: html`<h1>${signOut.doneTitle}</h1>
<p>${signOut.done}</p>
<p class="links"><a href="/sign-in">${signOut.again}</a></p>`,
})
