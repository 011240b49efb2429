import { withImplied } from '../../apps/rules/scopes.ts'

type ScopeGroup = 'profile' | 'ratings' | 'collections' | 'catalog' | 'apps' | 'access'

const GROUPS: Record<ScopeGroup, string[]> = {
  profile: ['openid', 'profile', 'user:read', 'email'],
  ratings: ['status:read', 'status:write', 'status:notes'],
  collections: ['collection:read', 'collection:write'],
  catalog: ['catalog:read', 'catalog:full', 'catalog:sync'],
  apps: ['developer:apps'],
  access: ['offline_access'],
}

/** Scopes that let an app change the user's data. */
export const WRITE_SCOPES: ReadonlySet<string> = new Set([
  'status:write',
  'status:notes',
  'collection:write',
  'developer:apps',
])

/**
 * Returns the scopes included in a scope. On this page, `user:read` includes `profile`, because name and picture are
 * fields of the full profile.
 */
const includedScopes = (scope: string) => {
  const included = withImplied([scope])
  if (scope === 'user:read') included.add('profile')
  included.delete(scope)
  return included
}

/** Returns the scopes that users cannot leave out: those the app requires, and those included in them. */
export const mandatoryScopes = (required: string[]): Set<string> =>
  new Set(['openid', ...required.flatMap((scope) => [scope, ...includedScopes(scope)])])

/**
 * Returns the scopes that no other scope includes, so that each permission is shown once. A required scope is also
 * shown if the scope that includes it is optional.
 */
export function shownScopes(
  requested: string[],
  mandatory: ReadonlySet<string> = new Set(),
): string[] {
  return requested.filter((scope) => {
    const including = requested.filter((other) => includedScopes(other).has(scope))
    return (
      including.length === 0 ||
      (mandatory.has(scope) && !including.some((holder) => mandatory.has(holder)))
    )
  })
}

/** Groups scopes in display order. Unknown scopes go into the `access` group. */
export function groupScopes(scopes: string[]): { group: ScopeGroup; scopes: string[] }[] {
  const known = new Set(Object.values(GROUPS).flat())
  // as: Object.entries widens the type of the keys
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
 * Returns the requested scopes that the user left checked, plus all required ones. A scope that is not shown is granted
 * with the scope that includes it.
 *
 * @param isTicked whether the form contains the field of a scope
 */
export function tickedScopes(
  requested: string[],
  isTicked: (scope: string) => boolean,
  mandatory: ReadonlySet<string>,
): string[] {
  const checked = shownScopes(requested, mandatory).filter(
    (scope) => mandatory.has(scope) || isTicked(scope),
  )
  const included = new Set(checked.flatMap((scope) => [scope, ...includedScopes(scope)]))
  return requested.filter((scope) => included.has(scope))
}
