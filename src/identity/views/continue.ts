import { hiddenFields, type ProviderForm } from '../../ui/forms/forms.ts'
import { html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'

/** Submits a form: automatically with scripts, otherwise with a button. */
export const continueView = ({
  messages: { continuing },
  form,
}: {
  messages: Messages
  form: ProviderForm
}): View => ({
  title: continuing.title,
  scripts: ['/assets/submit.js'],
  body: html`<h1>${continuing.title}</h1>
<p>${continuing.text}</p>
<form method="post" action="${form.action}" data-submit>
${hiddenFields(form.fields)}
<div class="actions"><button>${continuing.submit}</button></div>
</form>`,
})
