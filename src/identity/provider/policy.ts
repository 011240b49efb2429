import { isLocalRedirectUri } from '../../apps/rules/redirect-uris.ts'
import { isSignInRequired } from './requests/device-request.ts'
import { interactionPolicy } from './oidc-provider.ts'
import { requestParameter } from './requests/request-parameter.ts'

const { base, Check, Prompt } = interactionPolicy

/** Returns the conditions under which the provider asks the user to choose an account, sign in or give consent. */
export function createPolicy() {
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  policy
    .get('login')
    ?.checks.push(
      new Check(
        'device_login',
        'the device requires a new sign-in',
        ({ oidc }) => isSignInRequired(oidc.deviceCode?.deviceInfo) && !oidc.result?.login,
      ),
      new Check(
        'account_gone',
        'the account no longer exists',
        ({ oidc }) => Boolean(oidc.session?.accountId) && !oidc.account,
      ),
    )
  policy.get('consent')?.checks.push(
    // RFC 8252 §8.6: any program could impersonate the app, so consent is requested each time. The library does this only
    // for native clients, and registers none here (identity/provider/storage/clients.ts).
    new Check(
      'unproven_client',
      'apps that cannot prove their identity need consent each time',
      'interaction_required',
      ({ oidc }) => {
        // The device flow has no redirect URI; the next check covers it.
        const redirectUri = requestParameter(oidc.params, 'redirect_uri')
        const isUnproven =
          oidc.client?.clientAuthMethod === 'none' && isLocalRedirectUri(redirectUri)
        return redirectUri !== '' && isUnproven && !oidc.result?.consent
      },
    ),
    // RFC 8628 §5.4: a stranger may have given the user the code, so what it grants is shown each time.
    new Check(
      'device_request',
      'device requests need consent each time',
      'interaction_required',
      ({ oidc }) => Boolean(oidc.deviceCode) && !oidc.result?.consent,
    ),
  )
  return policy
}
