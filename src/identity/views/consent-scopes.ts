import { withImplied } from '../../apps/scopes.ts'

/** What a scope is about. */
type ScopeGroup = 'profile' | 'ratings' | 'collections' | 'catalog' | 'apps' | 'access'

const GROUPS: Record<ScopeGroup, string[]> = {
  profile: ['openid', 'profile', 'user:read', 'email'],
  ratings: ['status:read', 'status:write'],
  collections: ['collection:read', 'collection:write'],
  catalog: ['catalog:read', 'catalog:full', 'catalog:sync'],
  apps: ['developer:apps'],
  access: ['offline_access'],
}

/** With these an app changes what is the reader's. */
export const CHANGING_SCOPES: ReadonlySet<string> = new Set([
  'status:write',
  'collection:write',
  'developer:apps',
])

/** What a scope holds; on this page the whole profile holds name and picture, which are two of its fields. */
const heldBy = (scope: string) => {
  const held = withImplied([scope])
  if (scope === 'user:read') held.add('profile')
  held.delete(scope)
  return held
}

/** Those of the scopes that no other one of them holds: each thing stands on the page once. */
export function shownScopes(requested: string[]): string[] {
  const held = new Set(requested.flatMap((scope) => [...heldBy(scope)]))
  return requested.filter((scope) => !held.has(scope))
}

/** In the order of the page; a scope that nobody knows comes with the access. */
export function groupScopes(scopes: string[]): { group: ScopeGroup; scopes: string[] }[] {
  const known = new Set(Object.values(GROUPS).flat())
  // as: Object.entries forgets what the keys are
  return (Object.entries(GROUPS) as [ScopeGroup, string[]][])
    .map(([group, members]) => ({
      group,
      scopes: [
        ...members.filter((scope) => scopes.includes(scope)),
        ...scopes.filter((scope) => group === 'access' && !known.has(scope)),
      ],
    }))
    .filter((entry) => entry.scopes.length > 0)
}

/** The name of the field that allows a scope. */
export const choiceName = (scope: string) => `allow.${scope}`

/**
 * Of what an app asks for, what a reader has left ticked: never more than was asked for, and always `openid`. What is not
 * shown, since another scope holds it, goes with that.
 *
 * @param isTicked whether the form has the field of a scope
 */
export function tickedScopes(requested: string[], isTicked: (scope: string) => boolean): string[] {
  const ticked = shownScopes(requested).filter((scope) => scope === 'openid' || isTicked(scope))
  const held = new Set(ticked.flatMap((scope) => [scope, ...heldBy(scope)]))
  return requested.filter((scope) => held.has(scope))
}
