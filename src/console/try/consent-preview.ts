import { redirectTargetOf } from '../../apps/rules/redirect-uris.ts'
import { USER_SCOPES, withImplied } from '../../apps/rules/scopes.ts'
import { consentPage } from '../../identity/views/consent.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SIGN_IN_SCOPES } from '../settings/app-form.ts'

export type PreviewedApp = {
  name: string
  /** Path on this service. */
  logo?: string | null
  homepage: string | null
  privacy: string | null
  terms: string | null
  createdAt?: Date
  redirectUri: string | undefined
  isPublic: boolean
  scopes: string[]
  /** Scopes the user cannot deselect. */
  required: string[]
}

/** Renders the consent page for an app and its scopes, with all controls inert. */
export function consentPreview(context: PageContext, app: PreviewedApp): Html {
  const { messages, viewer } = context
  const { console: texts } = messages
  const {
    name,
    logo = null,
    homepage,
    privacy,
    terms,
    createdAt = new Date(),
    redirectUri = '',
  } = app
  const ofSignIn = SIGN_IN_SCOPES.filter(
    (scope) => scope === 'profile' || app.required.includes(scope),
  )
  const requested = ['openid', ...ofSignIn, ...app.scopes]
  const implied = withImplied(requested)
  const leadsTo = redirectTargetOf(redirectUri, context.origin)
  const { body } = consentPage(
    {
      action: '#',
      app: {
        name,
        logo,
        homepage,
        privacy,
        terms,
        createdAt,
        readers: 0,
        developer: null,
        redirectHost: hostOf(redirectUri),
        leadsTo,
        isPublic: app.isPublic && leadsTo === 'device',
      },
      account: { id: 0, name: viewer?.name ?? '', email: '' },
      requested,
      required: app.required,
      already: [],
      withheld: [],
      notAllowed: ['email', ...Object.keys(USER_SCOPES)].filter((scope) => !implied.has(scope)),
      offline: undefined,
    },
    { messages, language: context.language, timeZone: context.timeZone, csrfField: () => html`` },
  )
  return html`<section class="consent-preview" aria-labelledby="preview-of"><h2 id="preview-of">${texts.preview}</h2>
<p class="quiet">${texts.previewHint}</p>
<div class="consent-page" inert>${body}</div></section>`
}

const hostOf = (uri: string) => {
  const url = URL.parse(uri)
  return url === null ? uri : url.host || url.protocol
}
