import { Option, type Command } from 'commander'

/** Settings of an app, as options. Omitted ones are not sent. */
export type SettingOptions = {
  name?: string
  redirectUri?: string[]
  redirectUris?: boolean
  scope?: string[]
  scopes?: boolean
  requiredScope?: string[]
  requiredScopes?: boolean
  clientUri?: string | false
  logo?: string | false
  privacyUri?: string | false
  termsUri?: string | false
  grantType?: string[]
  backchannelLogoutUri?: string | false
  authMethod?: string
  public?: boolean
  confidential?: boolean
  native?: boolean
  web?: boolean
  enable?: boolean
  disable?: boolean
}

/**
 * Adds an option for every field of an app except its name (§2.11, decision 0012). For an update, also adds options
 * that clear or toggle a field.
 */
export function withSettings(command: Command, use: 'create' | 'update'): Command {
  const isUpdate = use === 'update'
  const replacing = isUpdate ? '; replaces the current ones' : ''
  const onlyOfUpdate = (...options: Option[]) => (isUpdate ? options : [])
  const options = [
    new Option(
      '--redirect-uri <uri...>',
      `redirect URIs for sign-in, up to 5; compared exactly${replacing}`,
    ),
    ...onlyOfUpdate(
      new Option(
        '--no-redirect-uris',
        'remove all redirect URIs; the app cannot sign in users',
      ).conflicts('redirectUri'),
    ),
    new Option(
      '--scope <scope...>',
      `scopes the app may request, such as catalog:full or status:write${replacing}`,
    ),
    ...onlyOfUpdate(new Option('--no-scopes', 'remove all scopes').conflicts('scope')),
    new Option(
      '--required-scope <scope...>',
      `scopes users cannot deselect on the consent page${replacing}`,
    ),
    ...onlyOfUpdate(
      new Option(
        '--no-required-scopes',
        'let users deselect every scope except the sign-in',
      ).conflicts('requiredScope'),
    ),
    new Option('--client-uri <uri>', 'home page, https'),
    ...onlyOfUpdate(new Option('--no-client-uri', 'remove the home page')),
    new Option('--logo <uri>', 'URL of the logo, https'),
    ...onlyOfUpdate(new Option('--no-logo', 'remove the logo')),
    new Option('--privacy-uri <uri>', 'privacy policy, linked on the consent page'),
    ...onlyOfUpdate(new Option('--no-privacy-uri', 'remove the privacy policy')),
    new Option('--terms-uri <uri>', 'terms of use, linked on the consent page'),
    ...onlyOfUpdate(new Option('--no-terms-uri', 'remove the terms of use')),
    new Option('--public', 'public client: runs on users’ devices and has no secret').conflicts(
      'confidential',
    ),
    new Option('--confidential', 'confidential client: runs on a server and has a secret'),
    new Option('--native', 'desktop or mobile app').conflicts('web'),
    new Option('--web', 'website'),
    new Option('--auth-method <method>', 'client authentication at the token endpoint').choices([
      'client_secret_basic',
      'client_secret_post',
      'none',
    ]),
    new Option(
      '--grant-type <type...>',
      `allowed grant types${isUpdate ? replacing : ' (default: all that its type permits)'}`,
    ),
    new Option('--backchannel-logout-uri <uri>', 'URL to notify when a user signs out'),
    ...onlyOfUpdate(
      new Option('--no-backchannel-logout-uri', 'stop sending back-channel logouts to the app'),
      new Option('--enable', 'enable the app').conflicts('disable'),
      new Option('--disable', 'issue no tokens to the app and reject its existing ones'),
    ),
  ]
  for (const option of options) command.addOption(option)
  return command
}

/** Returns the request body, with only the given settings. */
export function toBody(options: SettingOptions): Record<string, unknown> {
  const { name, authMethod, grantType, clientUri, logo, backchannelLogoutUri: logoutUri } = options
  const { privacyUri, termsUri } = options
  const redirectUris = options.redirectUris === false ? [] : options.redirectUri
  const scopes = options.scopes === false ? [] : options.scope
  const required = options.requiredScopes === false ? [] : options.requiredScope
  return {
    ...(name !== undefined && { client_name: name }),
    ...(redirectUris && { redirect_uris: redirectUris }),
    ...(scopes && { scopes }),
    ...(required && { required_scopes: required }),
    ...(clientUri !== undefined && { client_uri: clientUri === false ? null : clientUri }),
    ...(logo !== undefined && { logo: logo === false ? null : logo }),
    ...(privacyUri !== undefined && { privacy_uri: privacyUri === false ? null : privacyUri }),
    ...(termsUri !== undefined && { terms_uri: termsUri === false ? null : termsUri }),
    ...(options.public && { client_type: 'public' }),
    ...(options.confidential && { client_type: 'confidential' }),
    ...(options.native && { application_type: 'native' }),
    ...(options.web && { application_type: 'web' }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
    ...(grantType && { grant_types: grantType }),
    ...(logoutUri !== undefined && {
      backchannel_logout_uri: logoutUri === false ? null : logoutUri,
    }),
    ...(options.enable && { enabled: true }),
    ...(options.disable && { enabled: false }),
  }
}
