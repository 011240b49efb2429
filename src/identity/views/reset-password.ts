import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'
import { field } from './field.ts'

export type ResetPasswordData = {
  messages: Messages
  csrf: Html
  action: string
  /** Whether that was ticked before. */
  disconnectApps?: boolean
  /** What is wrong with the new password. */
  error?: string | undefined
}

/** Sends `password`, and `disconnect_apps=yes` when that is ticked. Whose it is is not shown: the link may have come into other hands. */
export function resetPasswordView({
  messages,
  csrf,
  action,
  disconnectApps = false,
  error,
}: ResetPasswordData): View {
  const { resetPassword: words, signUp } = messages
  return {
    title: words.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
<form method="post" action="${action}">
${csrf}
${field({
  name: 'password',
  type: 'password',
  label: words.password,
  hint: signUp.passwordHint,
  error,
  autocomplete: 'new-password',
  required: true,
  autofocus: true,
})}
<div class="field">
<label class="check"><input type="checkbox" name="disconnect_apps" value="yes"${disconnectApps && html` checked`}
  aria-describedby="disconnect_hint">
<span>${words.disconnectApps}</span></label>
<p class="hint" id="disconnect_hint">${words.disconnectHint}</p>
</div>
<div class="actions"><button>${words.submit}</button></div>
</form>`,
  }
}
