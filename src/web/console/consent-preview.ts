import { USER_SCOPES, withImplied } from '../../apps/scopes.ts'
import { consentView } from '../../identity/views/consent.ts'
import { html, type Html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'

export type PreviewedApp = {
  name: string
  homepage: string | null
  redirectUri: string | undefined
  isPublic: boolean
  scopes: string[]
}

/** The page that asks readers, as it is with this app and these scopes; nothing in it can be pressed. */
export function consentPreview(context: PageContext, app: PreviewedApp): Html {
  const { messages, language, reader } = context
  const { console: words } = messages
  const requested = ['openid', 'profile', ...app.scopes]
  const implied = withImplied(requested)
  const { body } = consentView({
    messages,
    language,
    csrf: html``,
    action: '#',
    app: {
      name: app.name,
      uri: app.homepage,
      redirectHost: app.redirectUri === undefined ? '' : hostOf(app.redirectUri),
      isPublic: app.isPublic,
    },
    account: { id: 0, name: reader?.name ?? '', email: '' },
    requested,
    already: [],
    notAllowed: ['email', ...Object.keys(USER_SCOPES)].filter((scope) => !implied.has(scope)),
    offline: false,
  })
  return html`<section class="consent-preview" aria-labelledby="preview-of"><h2 id="preview-of">${words.preview}</h2>
<p class="quiet">${words.previewHint}</p>
<div class="consent-page" inert>${body}</div></section>`
}

const hostOf = (uri: string) => {
  const url = URL.parse(uri)
  return url === null ? uri : url.host || url.protocol
}
