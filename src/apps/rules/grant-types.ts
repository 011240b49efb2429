/** Device authorization grant (RFC 8628). */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Ways for an app to get tokens (RFC 6749, RFC 8628). */
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
  /** Null if the developer has not chosen. */
  grant_types: string[] | null
}

/** Returns the grant types that an app of that kind can enable. */
export function possibleGrantTypes({
  client_type,
  redirect_uris,
}: Pick<Kind, 'client_type' | 'redirect_uris'>): string[] {
  const confidential = client_type === 'confidential'
  const signsUsersIn = redirect_uris.length > 0
  const possible = new Set<string>([
    ...(confidential ? ['client_credentials'] : []),
    ...(signsUsersIn ? ['authorization_code'] : []),
    ...(signsUsersIn || !confidential ? [DEVICE_GRANT, 'refresh_token'] : []),
  ])
  return GRANT_TYPES.filter((name) => possible.has(name))
}

/**
 * Returns the enabled grant types: those that the developer chose, by default all that are possible. Web apps get the
 * device grant only by choice. They do not need it, and anyone who knows their client id could use it to ask a victim
 * for consent.
 */
export function grantTypesOf(app: Kind): string[] {
  const possible = possibleGrantTypes(app)
  const { grant_types: chosen } = app
  if (chosen !== null) return possible.filter((name) => chosen.includes(name))
  if (app.application_type === 'native') return possible
  const signsUsersIn = app.redirect_uris.length > 0
  return possible.filter(
    (name) => name !== DEVICE_GRANT && (name !== 'refresh_token' || signsUsersIn),
  )
}
