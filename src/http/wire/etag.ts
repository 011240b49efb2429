import { hash } from 'node:crypto'
import type { ContentEncoding } from './content-encoding.ts'

/** Returns a strong validator for these bytes (RFC 9110 §8.8.3), including the quotes. */
export const etagOf = (bytes: string | Uint8Array) =>
  `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`

/**
 * Derives the ETag of a compressed response. Its bytes differ, so its strong ETag must differ too (RFC 9110 §8.8.3.3).
 */
export const compressedEtag = (etag: string, encoding: ContentEncoding) =>
  `${etag.slice(0, -1)}-${encoding}"`

const ENCODED = /-(?:br|gzip)"$/

/**
 * Whether an `If-None-Match` header matches this ETag. Supports lists, weak ETags and `*` (RFC 9110 §13.1.2). The ETag
 * of the same response in another encoding also matches.
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim().replace(/^W\//, '')
    return tag === '*' || tag === etag || tag.replace(ENCODED, '"') === etag
  })
}
