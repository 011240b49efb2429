import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { ownPortrait } from '../../../ui/portrait.ts'
import { actions, type AccountView } from './frame.ts'

/** The form submits `picture`, a file. The form for `…/remove` has no fields. */
export function pictureView(
  { messages, csrfField }: PageContext,
  account: { name: string; picture: string | null },
  error?: string,
): AccountView {
  const { accountPicture: texts } = messages
  return {
    title: texts.title,
    back: { href: '/account/profile', text: messages.accountProfile.title },
    body: html`<div class="portrait-row">${ownPortrait(account)}
<p>${texts.text}</p></div>
<form method="post" action="/account/profile/picture" enctype="multipart/form-data">
${csrfField()}
<div class="field">
<label for="picture">${texts.file}</label>
<p class="hint" id="picture-hint">${texts.hint}</p>
<input id="picture" name="picture" type="file" accept="image/jpeg,image/png,image/webp,image/gif,image/avif" required aria-describedby="picture-hint${error !== undefined && ' picture-error'}"${error !== undefined && html` aria-invalid="true"`}>
${error !== undefined && html`<p class="fault" id="picture-error">${error}</p>`}
</div>
${actions(messages, texts.submit, '/account/profile')}
</form>
${
  account.picture !== null &&
  html`<form method="post" action="/account/profile/picture/remove" class="apart">
${csrfField()}
<div class="actions"><button class="plain">${texts.remove}</button></div>
</form>`
}`,
  }
}
