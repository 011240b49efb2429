/** RFC 8628. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** How an app may come to tokens (RFC 6749, RFC 8628). */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  DEVICE_GRANT,
] as const

type Kind = {
  client_type: 'confidential' | 'public'
  application_type: 'web' | 'native'
  redirect_uris: string[]
  /** Null: the developer never chose. */
  grant_types: string[] | null
}

/** What an app of that kind could use, if its developer chose it. */
export function possibleGrantTypes({
  client_type,
  redirect_uris,
}: Pick<Kind, 'client_type' | 'redirect_uris'>): string[] {
  const confidential = client_type === 'confidential'
  const signsPeopleIn = redirect_uris.length > 0
  const possible = new Set<string>([
    ...(confidential ? ['client_credentials'] : []),
    ...(signsPeopleIn ? ['authorization_code'] : []),
    ...(signsPeopleIn || !confidential ? [DEVICE_GRANT, 'refresh_token'] : []),
  ])
  return GRANT_TYPES.filter((name) => possible.has(name))
}

/**
 * What the app can use: what its developer chose of what is possible, or else all of it, but for the device grant of
 * websites: they have no use for it, and everybody who knows their public id could ask a victim for consent with it.
 */
export function grantTypesOf(app: Kind): string[] {
  const possible = possibleGrantTypes(app)
  const { grant_types: chosen } = app
  if (chosen !== null) return possible.filter((name) => chosen.includes(name))
  if (app.application_type === 'native') return possible
  const signsPeopleIn = app.redirect_uris.length > 0
  return possible.filter(
    (name) => name !== DEVICE_GRANT && (name !== 'refresh_token' || signsPeopleIn),
  )
}
