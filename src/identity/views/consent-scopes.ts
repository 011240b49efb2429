import { withImplied } from '../../apps/rules/scopes.ts'

type ScopeGroup = 'profile' | 'ratings' | 'collections' | 'catalog' | 'apps' | 'access'

const GROUPS: Record<ScopeGroup, string[]> = {
  profile: ['openid', 'profile', 'user:read', 'email'],
  ratings: ['status:read', 'status:write'],
  collections: ['collection:read', 'collection:write'],
  catalog: ['catalog:read', 'catalog:full', 'catalog:sync'],
  apps: ['developer:apps'],
  access: ['offline_access'],
}

/** Scopes that let an app change the user's data. */
export const WRITE_SCOPES: ReadonlySet<string> = new Set([
  'status:write',
  'collection:write',
  'developer:apps',
])

/**
 * Returns the scopes included in a scope. On this page, `user:read` includes `profile`, because name and picture are
 * fields of the full profile.
 */
const heldBy = (scope: string) => {
  const held = withImplied([scope])
  if (scope === 'user:read') held.add('profile')
  held.delete(scope)
  return held
}

/** Returns the scopes that users cannot leave out: those the app requires, and those included in them. */
export const fixedScopes = (required: string[]): Set<string> =>
  new Set(['openid', ...required.flatMap((scope) => [scope, ...heldBy(scope)])])

/**
 * Returns the scopes that no other scope includes, so that each permission is shown once. A required scope is also
 * shown if a scope that includes it can be left out.
 */
export function shownScopes(requested: string[], fixed: ReadonlySet<string> = new Set()): string[] {
  return requested.filter((scope) => {
    const holders = requested.filter((other) => heldBy(other).has(scope))
    return (
      holders.length === 0 || (fixed.has(scope) && !holders.some((holder) => fixed.has(holder)))
    )
  })
}

/** Groups scopes in the order of the page. Unknown scopes join the group `access`. */
export function groupScopes(scopes: string[]): { group: ScopeGroup; scopes: string[] }[] {
  const known = new Set(Object.values(GROUPS).flat())
  // as: Object.entries loses the type of the keys
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

/** Returns the name of a scope's checkbox. */
export const scopeFieldName = (scope: string) => `allow.${scope}`

/**
 * Returns the requested scopes that the user left ticked, and always those that are required. A scope that is not shown
 * follows the one that includes it.
 *
 * @param isTicked whether the form contains the field of a scope
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
