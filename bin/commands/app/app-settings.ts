import { Option, type Command } from 'commander'

/** What may be said of an app, as the options have it; what is not said is not sent. */
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
 * Adds an option for every field of an app (§2.11, decision 0012), but for its name; where there is one already, also those
 * that take something away or switch it.
 */
export function withSettings(command: Command, use: 'create' | 'update'): Command {
  const isUpdate = use === 'update'
  const replacing = isUpdate ? '; replaces those there are' : ''
  const onlyOfUpdate = (...options: Option[]) => (isUpdate ? options : [])
  const options = [
    new Option(
      '--redirect-uri <uri...>',
      `where it signs people in, up to 5; to the letter what it will send${replacing}`,
    ),
    ...onlyOfUpdate(
      new Option('--no-redirect-uris', 'it signs nobody in').conflicts('redirectUri'),
    ),
    new Option(
      '--scope <scope...>',
      `what it may request, such as catalog:full or status:write${replacing}`,
    ),
    ...onlyOfUpdate(new Option('--no-scopes', 'it may request nothing').conflicts('scope')),
    new Option(
      '--required-scope <scope...>',
      `what readers cannot leave out when they allow it${replacing}`,
    ),
    ...onlyOfUpdate(
      new Option('--no-required-scopes', 'they may leave out all but the sign-in').conflicts(
        'requiredScope',
      ),
    ),
    new Option('--client-uri <uri>', 'its home page, https'),
    ...onlyOfUpdate(new Option('--no-client-uri', 'it has no home page')),
    new Option('--logo <uri>', 'the address of its picture, https'),
    ...onlyOfUpdate(new Option('--no-logo', 'it has no picture')),
    new Option(
      '--privacy-uri <uri>',
      'what it does with data, for readers who are asked for consent',
    ),
    ...onlyOfUpdate(new Option('--no-privacy-uri', 'it says nothing of it')),
    new Option('--terms-uri <uri>', 'its terms of use, likewise'),
    ...onlyOfUpdate(new Option('--no-terms-uri', 'it has none')),
    new Option('--public', 'it cannot keep a secret: it runs on its users’ devices').conflicts(
      'confidential',
    ),
    new Option('--confidential', 'it runs where nobody else sees its secret'),
    new Option('--native', 'it is a program of a desktop or a phone').conflicts('web'),
    new Option('--web', 'it is a website'),
    new Option('--auth-method <method>', 'how it authenticates at the token endpoint').choices([
      'client_secret_basic',
      'client_secret_post',
      'none',
    ]),
    new Option(
      '--grant-type <type...>',
      `how it may come to tokens${isUpdate ? replacing : '; by default however it can'}`,
    ),
    new Option('--backchannel-logout-uri <uri>', 'what is told when one of its users signs out'),
    ...onlyOfUpdate(
      new Option('--no-backchannel-logout-uri', 'nothing is told of it'),
      new Option('--enable', 'it works').conflicts('disable'),
      new Option('--disable', 'it gets no tokens, and those it has are refused'),
    ),
  ]
  for (const option of options) command.addOption(option)
  return command
}

/** The body of a request, with what was said alone. */
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
