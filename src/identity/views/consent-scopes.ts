import { withImplied } from '../../apps/rules/scopes.ts'

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
export const WRITE_SCOPES: ReadonlySet<string> = new Set([
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

/** What cannot be left out of a consent: what the app does not work without, and what that holds. */
export const fixedScopes = (required: string[]): Set<string> =>
  new Set(['openid', ...required.flatMap((scope) => [scope, ...heldBy(scope)])])

/**
 * Those of the scopes that no other one of them holds: each thing stands on the page once. One that is fixed stands there
 * beside what holds it and can be left out.
 */
export function shownScopes(requested: string[], fixed: ReadonlySet<string> = new Set()): string[] {
  return requested.filter((scope) => {
    const holders = requested.filter((other) => heldBy(other).has(scope))
    return (
      holders.length === 0 || (fixed.has(scope) && !holders.some((holder) => fixed.has(holder)))
    )
  })
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
export const scopeFieldName = (scope: string) => `allow.${scope}`

/**
 * Of what an app asks for, what a reader has left ticked: never more than was asked for, and always what is fixed. What is
 * not shown, since another scope holds it, goes with that.
 *
 * @param isTicked whether the form has the field of a scope
 */
export function tickedScopes(
  requested: string[],
  isTicked: (scope: string) => boolean,
  fixed: ReadonlySet<string>,
): string[] {
  const ticked = shownScopes(requested, fixed).filter(
    (scope) => fixed.has(scope) || isTicked(scope),
  )
  const held = new Set(ticked.flatMap((scope) => [scope, ...heldBy(scope)]))
  return requested.filter((scope) => held.has(scope))
}
