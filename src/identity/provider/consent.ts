import type { KoaContextWithOIDC } from 'oidc-provider'
import { isApiScope } from '../../apps/rules/scopes.ts'
import type { Database } from '../../db/database.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { requiredScopes } from './storage/clients.ts'
import { findConsent, saveConsent } from './storage/consent-queries.ts'
import type { LibraryProvider } from './oidc-provider.ts'
import { CLAIMS } from '../claims.ts'
import { CONSENT_LIFETIME_SECONDS } from '../lifetimes.ts'
import { requestedScopes } from './requests/request-parameter.ts'

/**
 * Returns the grant that an authorization request starts from: the one from the consent just given, the session's, or a
 * new one with everything the user has allowed the app on any device.
 *
 * @returns undefined if the user has not allowed anything yet
 */
export async function loadRememberedGrant(
  db: Database,
  audiences: string[],
  { oidc }: KoaContextWithOIDC,
) {
  const { provider, client, account, session, result } = oidc
  if (!client || !account) return undefined
  const known = result?.consent?.grantId ?? session?.grantIdFor(client.clientId)
  const grant = known === undefined ? undefined : await provider.Grant.find(known)
  const required = requiredScopes(client)
  const isRequired = (scope: string) => required.includes(scope)
  // If the user unchecked a scope before the app required it, the scope is requested again.
  const lacksRequired = grant?.getRejectedOIDCScope().split(' ').some(isRequired) === true
  if (grant?.accountId === account.accountId && !lacksRequired) return grant

  const allowed = await findConsent(db, Number(account.accountId), client.clientId)
  if (!allowed) return undefined
  const requested = requestedScopes(oidc.params)
  const remembered = new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  const requestedOf = (scopes: string[]) => requested.filter((scope) => scopes.includes(scope))
  const withheld = requestedOf(allowed.withheld).filter((scope) => !isRequired(scope))
  allow(remembered, audiences, requestedOf(allowed.scopes), withheld)
  refuse(remembered, audiences, withheld)
  try {
    await remembered.save()
  } catch (error) {
    // The consent was withdrawn concurrently, so the user is asked again.
    if (!isForeignKeyViolation(error)) throw error
    return undefined
  }
  return remembered
}

/**
 * Stores the consent just given, so that later requests can use it.
 *
 * @returns the id of the resulting grant; undefined if the developer of the app is banned
 */
export async function giveConsent(
  db: Database,
  provider: LibraryProvider,
  {
    audiences,
    accountId,
    clientId,
    grantId,
    scopes,
    withheld = [],
    claims = [],
  }: {
    /** Resources that the scopes are granted for. The token request selects one of them. */
    audiences: string[]
    accountId: string
    clientId: string
    /** Grant to extend, provided that it belongs to the account. */
    grantId: string | undefined
    scopes: string[]
    /** Requested scopes that the user unchecked. */
    withheld?: string[]
    /** Claims requested by name (OpenID Connect Core §5.5). */
    claims?: string[]
  },
): Promise<string | undefined> {
  const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  // Another account may have signed in since the request began. An extended grant keeps its rejected scopes. A new
  // grant is needed if a scope was withheld earlier or is withheld now.
  const isExtended =
    existing?.accountId === accountId && withheld.length === 0 && existing.rejected === undefined
  const grant = isExtended ? existing : new provider.Grant({ accountId, clientId })
  allow(grant, audiences, scopes, withheld)
  refuse(grant, audiences, withheld)
  const withheldClaims = new Set(
    Object.entries(CLAIMS).flatMap(([scope, names]) => (withheld.includes(scope) ? names : [])),
  )
  const refusedClaims = claims.filter((claim) => withheldClaims.has(claim))
  if (claims.length > 0) grant.addOIDCClaims(claims)
  if (refusedClaims.length > 0) grant.rejectOIDCClaims(refusedClaims)
  // Extending a grant restarts its lifetime.
  grant.exp = Math.floor(Date.now() / 1_000) + CONSENT_LIFETIME_SECONDS
  const isSaved = await saveConsent(db, Number(accountId), clientId, scopes, withheld)
  return isSaved ? grant.save() : undefined
}

/** The provider looks up every scope among the OpenID scopes, and API scopes also among the resource's. */
function allow(
  grant: InstanceType<LibraryProvider['Grant']>,
  audiences: string[],
  scopes: string[],
  withheld: string[] = [],
) {
  grant.addOIDCScope(scopes.join(' '))
  if ([...scopes, ...withheld].some(isApiScope))
    for (const audience of audiences) grant.addResourceScope(audience, scopes.join(' '))
}

/** Records what the grant lacks, so that the provider does not request it again. */
function refuse(
  grant: InstanceType<LibraryProvider['Grant']>,
  audiences: string[],
  scopes: string[],
) {
  if (scopes.length === 0) return
  grant.rejectOIDCScope(scopes.join(' '))
  // Includes OpenID scopes, because the API resource has every scope of the app.
  for (const audience of audiences) grant.rejectResourceScope(audience, scopes.join(' '))
}
