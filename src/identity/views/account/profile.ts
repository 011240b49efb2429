import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { ownPortrait } from '../../../ui/portrait.ts'
import { field } from '../form-parts.ts'
import type { AccountView } from './frame.ts'

export type ProfileData = {
  entered: { name: string; nickname: string; picture: string; bio: string }
  /** Picture of the account: a URL or a local path. */
  picture: string | null
  errors: Record<string, string>
  /** Hidden fields with the values that the form showed when it was loaded. */
  loaded: Html
  conflict?: Html | undefined
}

/** The form submits `name`, `nickname`, `picture` and `bio`. */
export function profileView(
  { messages, csrfField }: PageContext,
  { entered, picture, errors, loaded, conflict }: ProfileData,
): AccountView {
  const { accountProfile: texts } = messages
  return {
    title: texts.title,
    body: html`<div class="portrait-row">${ownPortrait({ name: entered.name, picture })}
<p><a class="button secondary" href="/account/profile/picture">${texts.changePicture}</a></p></div>
${conflict}
<form method="post" action="/account/profile">
${csrfField()}${loaded}
${field({ name: 'name', label: texts.name, value: entered.name, error: errors['name'], required: true, autocomplete: 'name' })}
${field({ name: 'nickname', label: texts.nickname, value: entered.nickname, hint: texts.nicknameHint, error: errors['nickname'], autocomplete: 'nickname' })}
${field({ name: 'picture', label: texts.picture, type: 'url', value: entered.picture, hint: texts.pictureHint, error: errors['picture'], maxLength: 2_048, autocomplete: 'photo' })}
${field({ name: 'bio', label: texts.bio, type: 'multiline', value: entered.bio, hint: texts.bioHint, error: errors['bio'] })}
<div class="actions"><button>${texts.submit}</button></div>
</form>`,
  }
}
