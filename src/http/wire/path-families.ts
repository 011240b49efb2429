/** Both families of paths of the catalog (decision 0002); the first is the one of §4.1 and of the document. */
export const CATALOG_PREFIXES = ['/api/v3/open', '/v3'] as const

/** Both families of paths of the user API (decision 0002); the first is the one of §4.3 and of the document. */
export const USER_PREFIXES = ['/v3/user/me', '/api/v3/open/user/me'] as const
