import { isLocalRedirectUri } from '../../apps/rules/redirect-uris.ts'
import { isSignInRequired } from './requests/device-request.ts'
import { interactionPolicy } from './oidc-provider.ts'
import { requestParameter } from './requests/request-parameter.ts'

const { base, Check, Prompt } = interactionPolicy

/** Returns the conditions under which the provider asks the user to choose an account, sign in or consent. */
export function makePolicy() {
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  policy
    .get('login')
    ?.checks.add(
      new Check('device_login', 'the device asks for a sign-in', ({ oidc }) =>
        isSignInRequired(oidc.deviceCode?.deviceInfo) && !oidc.result?.login
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    )
  policy
    .get('login')
    ?.checks.add(
      new Check('account_gone', 'the account is there no more', ({ oidc }) =>
        oidc.session?.accountId && !oidc.account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    )
  // RFC 8252 §8.6: any program could impersonate the app, so consent is requested each time. The library does this only
  // for native clients, and registers none here (identity/provider/storage/clients.ts).
  policy.get('consent')?.checks.add(
    new Check(
      'unproven_client',
      'apps that cannot prove who they are need the consent of the person each time',
      'interaction_required',
      ({ oidc }) => {
        // The device flow has no redirect URI, and a separate check below.
        const redirectUri = requestParameter(oidc.params, 'redirect_uri')
        const unproven = oidc.client?.clientAuthMethod === 'none' && isLocalRedirectUri(redirectUri)
        return redirectUri !== '' && unproven && !oidc.result?.consent
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT
      },
    ),
  )
  // RFC 8628 §5.4: a stranger may have given the user the code, so what it grants is shown each time.
  policy
    .get('consent')
    ?.checks.add(
      new Check(
        'device_request',
        'devices need the consent of the person each time',
        'interaction_required',
        ({ oidc }) =>
          oidc.deviceCode && !oidc.result?.consent ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    )
  return policy
}
