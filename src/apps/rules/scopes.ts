/** Scopes, grouped by who grants them (decision 0003). */

/** Application scopes and what they allow. User-level tokens may hold them too. */
export const APPLICATION_SCOPES = {
  'catalog:read': 'Read the catalog, without works marked nsfw',
  'catalog:full': 'Read the whole catalog; includes catalog:read',
  'catalog:sync': 'Follow changes to the catalog; granted by the operator',
}

/** Scopes of user-level tokens only. Any app may request them. */
export const USER_SCOPES = {
  'user:read': "Read the user's profile",
  'status:read': 'Read what the user reads and plays, and how they rate it',
  'status:write': 'Change statuses and ratings, and vote on reviews; includes status:read',
  'status:notes':
    "With status:read, read the user's private notes on works; with status:write, change them",
  'collection:read': "Read the user's collections",
  'collection:write': "Change the user's collections; includes collection:read",
}

/** Reserved for the operator's own apps: with this scope, an app could take over its user's other apps. */
const FIRST_PARTY_SCOPE = 'developer:apps'

/** Scopes of the OpenID provider itself. */
const OPENID_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const

export const SCOPES = [
  ...OPENID_SCOPES,
  ...Object.keys(APPLICATION_SCOPES),
  ...Object.keys(USER_SCOPES),
  FIRST_PARTY_SCOPE,
]

const IMPLIED: Record<string, string> = {
  'catalog:full': 'catalog:read',
  'status:write': 'status:read',
  'collection:write': 'collection:read',
}

/** Adds the scopes that other scopes include: `catalog:full` includes `catalog:read`. */
export function withImplied(scopes: Iterable<string>): Set<string> {
  const held = [...scopes]
  return new Set([...held, ...held.flatMap((scope) => IMPLIED[scope] ?? [])])
}

export const isApplicationScope = (scope: string) => Object.hasOwn(APPLICATION_SCOPES, scope)

/** Whether a scope is for an API rather than the OpenID provider. */
export const isApiScope = (scope: string) => !OPENID_SCOPES.some((name) => name === scope)

/**
 * Returns every scope an app may request, including those that others include.
 *
 * @param app `account_id` is null for the operator's own apps
 */
export function scopesOf({
  scopes,
  account_id,
}: {
  scopes: string[]
  account_id: number | null
}): string[] {
  const held = scopes.filter((scope) => scope !== FIRST_PARTY_SCOPE || account_id === null)
  return [...OPENID_SCOPES, ...withImplied(held)]
}

/** Whether users grant the scope. An app with such a scope needs a redirect URI. */
export const isUserScope = (scope: string) => !isApplicationScope(scope)

/** Whether developers can select the scope for their apps. The operator grants all other scopes. */
export const isSelectableScope = (scope: string) =>
  SCOPES.includes(scope) && scope !== FIRST_PARTY_SCOPE && scope !== 'catalog:sync'

/** Scopes that users can give to their personal access tokens. */
export const PERSONAL_TOKEN_SCOPES = SCOPES.filter(
  (scope) => isApiScope(scope) && isSelectableScope(scope),
)

/** Returns the scopes that an app can mark as required: those it may request from users. */
export const requirableScopes = (scopes: string[]): Set<string> =>
  new Set([...OPENID_SCOPES, ...withImplied(scopes.filter(isSelectableScope))])
