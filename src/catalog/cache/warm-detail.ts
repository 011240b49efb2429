import { ENTRY_KINDS, KINDS, type EntryKind } from '../kinds.ts'
import type { ResponseCache } from './response-cache.ts'

/** Maximum length of the path of an entry's detail. */
const MAX_PATH_LENGTH = 60

const DETAIL = /^\/(?:api\/v3\/open|v3)\/([a-z-]+)\/(\d+)$/

const KIND_OF_PATH = new Map<string, EntryKind>(ENTRY_KINDS.map((kind) => [KINDS[kind].path, kind]))

/** Whether the URL is the detail of an entry whose response is cached. */
export function isWarmDetail(cache: ResponseCache, url: string): boolean {
  if (url.length > MAX_PATH_LENGTH) return false
  const [, path = '', id = ''] = DETAIL.exec(url) ?? []
  const kind = KIND_OF_PATH.get(path)
  return kind !== undefined && cache.has(`${kind}/${id}`)
}
