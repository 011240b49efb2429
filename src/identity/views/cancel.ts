import { html, type Html } from '../../ui/html.ts'

/** The way back to the app without signing in: sends `decision=deny`. */
export const cancelForm = (csrf: Html, action: string, label: string): Html =>
  html`<form method="post" action="${action}" class="cancel">
${csrf}
<div class="actions"><button class="plain" name="decision" value="deny">${label}</button></div>
</form>`
