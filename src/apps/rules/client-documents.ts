import { isSelectableScope, SCOPES } from './scopes.ts'

/** Maximum length of a client id, which may be a URL. The database enforces it (`apps_client_id_check`). */
export const MAX_CLIENT_ID_LENGTH = 512

/**
 * Whether a client id is the URL of a document that describes the app (OAuth Client ID Metadata Document): https with a
 * path, and without credentials, query and fragment.
 */
export function isDocumentUrl(clientId: string): boolean {
  if (clientId.length > MAX_CLIENT_ID_LENGTH || !/^https:\/\/[!-~]+$/.test(clientId)) return false
  const url = URL.parse(clientId)
  return (
    url?.href === clientId &&
    // A dot at the end names the same host, which the operator may have denied.
    /^[a-z0-9.:[\]-]{1,254}(?<!\.)$/.test(url.hostname) &&
    url.pathname !== '/' &&
    url.search === '' &&
    !clientId.includes('?') &&
    !clientId.includes('#') &&
    url.username === '' &&
    url.password === ''
  )
}

/** Returns the host that serves an app's document, without the port. */
export const documentHostOf = (clientId: string): string => new URL(clientId).hostname

/** Returns a host and its parent domains: `a.example.org`, `example.org`, `org`. */
export function hostAndParents(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Scopes that an app described by a document can request: those of an app that a developer registers. */
export const DOCUMENT_SCOPES: readonly string[] = SCOPES.filter(isSelectableScope)
