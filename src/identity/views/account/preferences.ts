import type { Preferences } from '../../../accounts/preferences/queries.ts'
import { html } from '../../../pages/html.ts'
import type { PageContext } from '../../../pages/page-context.ts'
import { actions, type AccountView } from './frame.ts'
import { when } from './when.ts'

/** Sends `nsfw` and `of_age`, each `yes` or not at all. */
export function preferencesView(
  { messages, language, csrfField }: PageContext,
  { shows_nsfw, of_age_stated_at }: Preferences,
  error?: string,
): AccountView {
  const { preferences: words } = messages
  const fault = error !== undefined && html` aria-invalid="true" aria-describedby="of-age-error"`
  return {
    title: words.title,
    body: html`<p class="lead">${words.lead}</p>
<form method="post" action="/account/preferences">
${csrfField()}
<label class="check"><input type="checkbox" name="nsfw" value="yes"${shows_nsfw && html` checked`}>${words.nsfw}</label>
<label class="check"><input type="checkbox" name="of_age" value="yes"${of_age_stated_at !== null && html` checked`}${fault}>${words.statement}</label>
${error !== undefined && html`<p class="fault" id="of-age-error" role="alert">${error}</p>`}
<p class="hint">${words.statementWhy}</p>
${of_age_stated_at !== null && html`<p class="hint">${words.saidOn} ${when(language, of_age_stated_at)}</p>`}
${actions(messages, words.submit, '/account')}
</form>`,
  }
}
