import type { App } from '../../apps/queries.ts'
import type { Settings } from '../../apps/rules/app-rules.ts'
import { redirectTargetOf } from '../../apps/rules/redirect-uris.ts'
import { USER_SCOPES, withImplied } from '../../apps/rules/scopes.ts'
import { consentPage } from '../../identity/views/consent.ts'
import { uploadPath } from '../../uploads/upload-path.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SIGN_IN_SCOPES } from '../settings/app-form.ts'

/**
 * Renders the consent page for an app and its scopes, with all controls inert.
 *
 * @param app without a creation time if it has not been created yet
 */
export function consentPreview(
  context: PageContext,
  app: Settings & Partial<Pick<App, 'created_at'>>,
): Html {
  const { messages, viewer } = context
  const { console: texts } = messages
  const {
    redirect_uris: [redirectUri = ''],
    required_scopes: required,
    logo_hash: logoHash,
  } = app
  const ofSignIn = SIGN_IN_SCOPES.filter((scope) => scope === 'profile' || required.includes(scope))
  const requested = ['openid', ...ofSignIn, ...app.scopes]
  const implied = withImplied(requested)
  const leadsTo = redirectTargetOf(redirectUri, context.origin)
  const { body } = consentPage(
    {
      action: '#',
      app: {
        name: app.client_name,
        logo: logoHash === null ? null : uploadPath(logoHash),
        homepage: app.client_uri,
        privacy: app.privacy_uri,
        terms: app.terms_uri,
        documentHost: null,
        createdAt: app.created_at ?? new Date(),
        readers: 0,
        developer: null,
        redirectHost: hostOf(redirectUri),
        leadsTo,
        isPublic: app.client_type === 'public' && leadsTo === 'device',
      },
      account: { id: 0, name: viewer?.name ?? '', email: '' },
      requested,
      required,
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
