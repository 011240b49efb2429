/** What an application may hold, by who gives it (decisions §3). */

/** Application scopes and what they are good for; they may also be ticked for user-level tokens. */
export const APPLICATION_SCOPES = {
  'catalog:read': 'Read the catalog; works marked nsfw are not there',
  'catalog:full': 'Read the whole catalog; contains catalog:read',
  'catalog:sync': "Follow the catalog's changes; the operator grants it",
}

/** Exist only in user-level tokens. */
const USER_SCOPES = [
  'user:read',
  'status:read',
  'status:write',
  'collection:read',
  'collection:write',
  'developer:apps',
] as const

/** What the OpenID provider itself understands. */
export const OPENID_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const

export const SCOPES = [...OPENID_SCOPES, ...Object.keys(APPLICATION_SCOPES), ...USER_SCOPES]

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
