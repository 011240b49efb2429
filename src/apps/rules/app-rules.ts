import type { Fault, RequestFault } from '../../http/wire/errors/fault.ts'
import { faultOfLogoutUri, faultOfPageUri, faultOfRedirectUri } from './redirect-uris.ts'
import { possibleGrantTypes } from './grant-types.ts'
import type { App } from '../queries.ts'
import type { AppChange } from '../schemas.ts'
import { isSelectableScope, isUserScope, requirableScopes } from './scopes.ts'
import { NOT_IN_LINE } from '../../kernel/printable.ts'

/** Maximum number of redirect URIs of an app (§8). */
export const MAX_REDIRECT_URIS = 5

const INITIAL = {
  client_name: '',
  client_uri: null,
  logo: null,
  logo_hash: null,
  privacy_uri: null,
  terms_uri: null,
  client_type: 'confidential',
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: [],
  scopes: [],
  required_scopes: [],
  grant_types: null,
  enabled: true,
  blocked_at: null,
  backchannel_logout_uri: null,
  backchannel_logout_session_required: false,
} satisfies Partial<App>

/** App settings that the developer controls. */
export type Settings = Pick<App, keyof typeof INITIAL>

/** Settings of a new app, before its first change. */
export const INITIAL_SETTINGS: Settings = INITIAL

export type AppChangeOutcome =
  | { faults: RequestFault[] }
  | {
      settings: Settings
      /** Scopes that were removed together with the last redirect URI. */ droppedScopes: string[]
    }

/** Returns an app's settings after a change, or everything that is wrong with the change (§4.2, decision 0012). */
export function applyChange(current: Settings, change: AppChange): AppChangeOutcome {
  const next = { ...current, ...change, scopes: current.scopes }
  const faults = [
    ...faultsOfText(change),
    ...faultsOfUris(change),
    ...faultsOfLogoutUri(change),
    ...faultsOfClient({ ...current, ...change }, change),
  ]
  const redirectUris = change.redirect_uris ?? current.redirect_uris
  const signsUsersIn = redirectUris.length > 0
  faults.push(
    ...faultsOfScopes(current, change, signsUsersIn),
    ...faultsOfRequired(current, change),
  )
  if (change.enabled === true && current.blocked_at !== null)
    faults.push({ field: 'enabled', code: 'enabled.blocked' })
  if (faults.length > 0) return { faults }

  const requested = [...new Set(change.scopes ?? current.scopes)]
  // Omitting a scope that the operator granted does not remove it.
  const operatorScopes = current.scopes.filter(
    (scope) => !isSelectableScope(scope) && !requested.includes(scope),
  )
  const scopes = [...requested, ...operatorScopes].filter(
    (scope) => signsUsersIn || !isUserScope(scope),
  )
  const requirable = requirableScopes(scopes)
  const required = [...new Set(change.required_scopes ?? current.required_scopes)]
  const method = change.token_endpoint_auth_method ?? current.token_endpoint_auth_method
  return {
    settings: {
      ...next,
      // A new logo replaces the uploaded one.
      logo_hash: change.logo === undefined ? current.logo_hash : null,
      client_name: next.client_name.trim(),
      grant_types: next.grant_types && [...new Set(next.grant_types)],
      scopes,
      required_scopes: required.filter((scope) => requirable.has(scope)),
      token_endpoint_auth_method:
        next.client_type === 'public' ? 'none' : method === 'none' ? 'client_secret_basic' : method,
    },
    droppedScopes: current.scopes.filter((scope) => isUserScope(scope) && !signsUsersIn),
  }
}

/** U+2800 is the blank Braille pattern. */
const INVISIBLE = /[\s\p{Default_Ignorable_Code_Point}\p{M}\u2800]/gu

function faultsOfText({
  client_name: name,
  client_uri,
  logo,
  privacy_uri,
  terms_uri,
}: AppChange): RequestFault[] {
  const faults: RequestFault[] = []
  if (name !== undefined) {
    const trimmed = name.trim()
    if (trimmed.replaceAll(INVISIBLE, '') === '' || [...trimmed].length > 64)
      faults.push({ field: 'client_name', code: 'name.length' })
    else if (NOT_IN_LINE.test(name)) faults.push({ field: 'client_name', code: 'name.characters' })
  }
  for (const [field, uri] of Object.entries({ client_uri, logo }))
    if (uri !== undefined && uri !== null && !isWebUri(uri))
      faults.push({ field, code: 'web_address' })
  for (const [field, uri] of Object.entries({ privacy_uri, terms_uri })) {
    const fault = typeof uri === 'string' ? faultOfPageUri(uri) : undefined
    if (fault !== undefined) faults.push({ field, ...fault })
  }
  return faults
}

function isWebUri(uri: string) {
  const url = URL.parse(uri)
  const plain =
    uri.length <= 2_048 &&
    !/[\s\p{Cc}\p{Cf}\p{Cs}#*\\]/u.test(uri) &&
    /^https:\/\/[^/@]+([/?]|$)/.test(uri)
  return plain && url?.protocol === 'https:' && url.username === '' && url.password === ''
}

function faultsOfLogoutUri({ backchannel_logout_uri: uri }: AppChange): RequestFault[] {
  const fault = typeof uri === 'string' ? faultOfLogoutUri(uri) : undefined
  return fault === undefined ? [] : [{ field: 'backchannel_logout_uri', ...fault }]
}

function faultsOfUris({ redirect_uris: uris = [] }: AppChange): RequestFault[] {
  if (uris.length > MAX_REDIRECT_URIS)
    return [
      {
        field: 'redirect_uris',
        code: 'redirect_uris.too_many',
        params: { max: MAX_REDIRECT_URIS },
      },
    ]
  return uris.flatMap((uri, index) => {
    const wrong: Fault | undefined =
      uris.indexOf(uri) === index ? faultOfRedirectUri(uri) : { code: 'redirect_uris.repeated' }
    return wrong === undefined ? [] : [{ field: `redirect_uris.${index}`, ...wrong }]
  })
}

function faultsOfClient(next: Settings, change: AppChange): RequestFault[] {
  const { client_type: type } = next
  const method = change.token_endpoint_auth_method
  const faults: RequestFault[] = []
  if (method !== undefined && (method === 'none') !== (type === 'public'))
    faults.push({ field: 'token_endpoint_auth_method', code: `auth_method.${type}` })
  const possible = possibleGrantTypes(next)
  for (const [index, name] of (change.grant_types ?? []).entries())
    if (!possible.includes(name))
      faults.push({
        field: `grant_types.${index}`,
        code:
          name === 'client_credentials'
            ? 'grant_type.confidential_only'
            : 'grant_type.needs_redirect_uri',
        params: { grantType: name },
      })
  return faults
}

function faultsOfScopes(
  current: Settings,
  { scopes = [] }: AppChange,
  signsUsersIn: boolean,
): RequestFault[] {
  return scopes.flatMap((scope, index): RequestFault[] => {
    const field = `scopes.${index}`
    if (!isSelectableScope(scope) && !current.scopes.includes(scope))
      return [{ field, code: 'scope.unavailable', params: { scope } }]
    if (isUserScope(scope) && !signsUsersIn)
      return [{ field, code: 'scope.needs_redirect_uri', params: { scope } }]
    return []
  })
}

function faultsOfRequired(
  current: Settings,
  { scopes, required_scopes: required = [] }: AppChange,
): RequestFault[] {
  const requirable = requirableScopes(scopes ?? current.scopes)
  return required.flatMap((scope, index) =>
    requirable.has(scope)
      ? []
      : [
          {
            field: `required_scopes.${index}`,
            code: 'required_scope.unavailable',
            params: { scope },
          },
        ],
  )
}
