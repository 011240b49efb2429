import { html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { currentPasswordField } from './current-password-field.ts'
import { actions, type AccountView } from '../frame.ts'

/** Shows new recovery codes, which can be seen this once. */
export function codesView({ messages }: PageContext, codes: string[]): AccountView {
  const { accountCodes: words } = messages
  return {
    title: words.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${words.save}</p>
<ul class="codes panel tiles" data-codes="mokuroku-recovery-codes.txt">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<div class="actions inline" hidden data-code-tools>
<button type="button" class="secondary" data-copy data-done="${words.copied}">${words.copy}</button>
<button type="button" class="secondary" data-download>${words.download}</button>
<button type="button" class="secondary" data-print>${words.print}</button>
<span role="status" class="quiet"></span>
</div>
<div class="actions"><a class="button" href="/account/security">${words.done}</a></div>`,
  }
}

/** Sends `current_password`, and `mark`, of the codes that are to be replaced. */
export function replaceCodesView(
  { messages, csrfField }: PageContext,
  { mark, error }: { mark: string; error?: string },
): AccountView {
  const { accountCodes: words } = messages
  return {
    title: words.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${words.replaceText}</p>
<form method="post" action="/account/security/recovery-codes">
${csrfField()}
<input type="hidden" name="mark" value="${mark}">
${currentPasswordField(messages, error)}
${actions(messages, words.submit, '/account/security')}
</form>`,
  }
}
