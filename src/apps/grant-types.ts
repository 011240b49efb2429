/** How an app may come to tokens (RFC 6749, RFC 8628). */
export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const

type Kind = {
  client_type: 'confidential' | 'public'
  redirect_uris: string[]
  grant_types: string[] | null
}

/** What the app can use: what its kind admits, as far as its developer has not left it out. */
export function grantTypesOf({ client_type, redirect_uris, grant_types }: Kind): string[] {
  const confidential = client_type === 'confidential'
  const signsPeopleIn = redirect_uris.length > 0
  const possible = new Set<string>([
    ...(confidential ? ['client_credentials'] : []),
    ...(signsPeopleIn ? ['authorization_code'] : []),
    ...(signsPeopleIn || !confidential
      ? ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token']
      : []),
  ])
  return GRANT_TYPES.filter(
    (name) => possible.has(name) && (grant_types === null || grant_types.includes(name)),
  )
}
