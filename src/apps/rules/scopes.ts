/** What an application may hold, by who gives it (decision 0003). */

/** Application scopes and what they are good for; they may also be ticked for user-level tokens. */
export const APPLICATION_SCOPES = {
  'catalog:read': 'Read the catalog; works marked nsfw are not there',
  'catalog:full': 'Read the whole catalog; contains catalog:read',
  'catalog:sync': "Follow the catalog's changes; the operator grants it",
}

/** Exist only in user-level tokens, and any app may hold them. */
export const USER_SCOPES = {
  'user:read': 'Read the profile of the user',
  'status:read': 'Read what the user reads and plays, and how they rate it',
  'status:write': 'Write it, and vote on reviews; contains status:read',
  'collection:read': 'Read the collections of the user',
  'collection:write': 'Change them; contains collection:read',
}

/** Of the operator's own apps alone: with it an app could take over its user's other apps. */
const FIRST_PARTY_SCOPE = 'developer:apps'

/** What the OpenID provider itself understands. */
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

/** The scopes and those they contain: `catalog:full` is good wherever `catalog:read` is. */
export function withImplied(scopes: Iterable<string>): Set<string> {
  const held = [...scopes]
  return new Set([...held, ...held.flatMap((scope) => IMPLIED[scope] ?? [])])
}

export const isApplicationScope = (scope: string) => Object.hasOwn(APPLICATION_SCOPES, scope)

/** Whether it is good for an API; the others are for the OpenID provider itself. */
export const isApiScope = (scope: string) => !OPENID_SCOPES.some((name) => name === scope)

/**
 * Every scope an app may ask for, with what is contained in those it holds.
 *
 * @param app `account_id` null: the operator's own
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

/** Granted by users, so that an app needs a redirect URI to come by it. */
export const isUserScope = (scope: string) => !isApplicationScope(scope)

/** Whether a developer may tick it for an app: not what the operator gives. */
export const isSelectableScope = (scope: string) =>
  SCOPES.includes(scope) && scope !== FIRST_PARTY_SCOPE && scope !== 'catalog:sync'

/** What an app with these scopes may say it does not work without: what it may ask readers for. */
export const requirableScopes = (scopes: string[]): Set<string> =>
  new Set([...OPENID_SCOPES, ...withImplied(scopes.filter(isSelectableScope))])
