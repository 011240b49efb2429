import { hash } from 'node:crypto'

/** A strong validator of these bytes (RFC 9110 §8.8.3), quotes included. */
export const etagOf = (bytes: string | Uint8Array) => `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`

/** Whether an `If-None-Match` header names this ETag: a list, weak forms and `*` count (RFC 9110 §13.1.2). */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}
