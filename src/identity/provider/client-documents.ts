import { createHash } from 'node:crypto'
import type { Client, Configuration } from 'oidc-provider'
import { isDocumentRefused, type DocumentApp } from '../../apps/client-document-queries.ts'
import { DOCUMENT_SCOPES, isDocumentUrl } from '../../apps/rules/client-documents.ts'
import { faultOfPageUri, faultOfRedirectUri } from '../../apps/rules/redirect-uris.ts'
import type { Database } from '../../db/database.ts'
import { isJsonObject } from '../../kernel/is-json-object.ts'
import { fetchForApps } from '../../outbound/fetch-for-apps.ts'
import { readLimited } from '../../outbound/read-limited.ts'
import type { Resolve } from '../../outbound/public-lookup.ts'
import type { LibraryProvider } from './oidc-provider.ts'

type Feature = NonNullable<NonNullable<Configuration['features']>['clientIdMetadataDocument']>

/** Seconds for which a process caches a document, whatever its headers say. */
const CACHE_SECONDS = { min: 5, max: 600 }
const MAX_DOCUMENT_BYTES = 5 * 1_024
const MAX_NAME_LENGTH = 64
const MAX_REDIRECT_URIS = 20

/**
 * Lets apps identify themselves by the URL of a document that describes them (OAuth Client ID Metadata Document). The
 * library caches documents, and limits the time of a request to 2.5 seconds.
 */
export const clientIdMetadataDocuments = (db: Database, isOn: boolean): Feature => ({
  ack: 'draft-02',
  enabled: isOn,
  cacheDuration: CACHE_SECONDS,
  // Without a context, the consent page is being prepared.
  allowFetch: async (ctx, clientId) =>
    isDocumentUrl(clientId) &&
    !usesStoredDocument(routeOf(ctx)) &&
    !(await isDocumentRefused(db, clientId)),
  allowClient: async (_ctx, { clientId, redirectUris = [] }) =>
    redirectUris.length > 0 &&
    redirectUris.length <= MAX_REDIRECT_URIS &&
    redirectUris.every((uri) => faultOfRedirectUri(uri) === undefined) &&
    !(await isDocumentRefused(db, clientId)),
})

/**
 * Whether a request to this route uses the description of an app that was stored with the consent. Requests for consent use
 * the app's current document instead, which the library fetches. Signing out must not depend on the app's server.
 */
export const usesStoredDocument = (route = ''): boolean =>
  ['token', 'revocation', 'introspection'].includes(route) || route.startsWith('end_session')

/** Returns an app; undefined also if its document is missing or invalid. */
export async function findClient(
  provider: LibraryProvider,
  clientId: string,
): Promise<Client | undefined> {
  try {
    return await provider.Client.find(clientId)
  } catch (error) {
    if (error instanceof Error && ['InvalidClient', 'InvalidClientMetadata'].includes(error.name))
      return undefined
    throw error
  }
}

/** Returns the provider's route. Its types do not say that pages of our own have no context. */
const routeOf = (ctx: { oidc?: { route?: string } } | undefined) => ctx?.oidc?.route

/**
 * Returns the `fetch` of the library, which connects only to public addresses (`fetchForApps`). It reduces documents to
 * what this service uses: a document cannot register keys, pictures, scopes or other grants. Other requests of the
 * library are POST.
 *
 * @param issuer URL of this service
 * @param resolve replaces DNS in tests
 */
export function fetchDocuments(issuer: string, resolve?: Resolve): typeof fetch {
  const fetchFromApp = fetchForApps(issuer, resolve)
  return async (target, options = {}) => {
    const response = await fetchFromApp(target, options)
    if ((options.method ?? 'GET') !== 'GET' || response.status !== 200) return response
    const { headers } = response
    const tooLarge = () => new Error('The document is too large')
    const bytes = await readLimited(response, MAX_DOCUMENT_BYTES, tooLarge)
    // The library rejects a document that is not an object.
    const document: unknown = JSON.parse(bytes.toString())
    const reduced = isJsonObject(document) ? describeApp(document) : document
    return new Response(JSON.stringify(reduced), {
      headers: { 'cache-control': headers.get('cache-control') ?? '' },
    })
  }
}

/** Returns the client metadata of a document. The library compares `client_id` with the URL. */
function describeApp(document: Record<string, unknown>) {
  const {
    client_id,
    client_name: name,
    client_uri: uri,
    redirect_uris,
    token_endpoint_auth_method = 'none',
  } = document
  return {
    client_id,
    client_name: nameOf(typeof name === 'string' ? name : '') || String(client_id).slice(0, 64),
    ...(typeof uri === 'string' &&
      uri.startsWith('https://') &&
      faultOfPageUri(uri) === undefined && { client_uri: uri }),
    redirect_uris,
    token_endpoint_auth_method,
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: DOCUMENT_SCOPES.join(' '),
  }
}

/** Removes characters that could disguise the name, such as those that reverse the text. */
const nameOf = (text: string) =>
  [...text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim()].slice(0, MAX_NAME_LENGTH).join('')

/** Returns the description of an app without registration; undefined for registered apps. */
export const documentAppOf = (client: Client): DocumentApp | undefined =>
  isDocumentUrl(client.clientId)
    ? {
        clientId: client.clientId,
        clientName: client.clientName ?? client.clientId,
        clientUri: client.clientUri ?? null,
        redirectUris: [...(client.redirectUris ?? [])],
      }
    : undefined

/** Returns a hash of what the consent page shows about the app, to detect a document that has changed since. */
export const fingerprintOfDocument = (app: DocumentApp | undefined): string =>
  app === undefined ? '' : createHash('sha256').update(JSON.stringify(app)).digest('base64url')
