/** Endpoint of the OpenID provider, and how its requests are rewritten for the library. */
export type Endpoint = {
  url: string
  methods: ('GET' | 'POST')[]
  /**
   * True for endpoints that scripts from any origin may call (decision 0002). Browsers show the responses of the other
   * endpoints.
   */
  forPrograms?: boolean
  /** Whether a GET stores a row. If so, it is rate-limited like a POST. */
  getWrites?: boolean
  /** Whether the provider stores parameters such as `state` as JSON. */
  storesParameters?: boolean
  /** Rewrites a GET, HEAD or OPTIONS request. If omitted, only the host is rewritten. */
  get?: 'authorization' | 'discovery'
  /** Rewrites the form of a POST. If omitted, the provider receives it unchanged. */
  post?: 'redirectToGet' | 'pushedAuthorization' | 'aboutToken'
}

/** Last page of the device flow. Unlike the library's own URL, it can be reloaded. */
export const DEVICE_DONE = '/device/done'

export const DISCOVERY = '/oidc/.well-known/openid-configuration'

export const ENDPOINTS: Endpoint[] = [
  { url: DISCOVERY, methods: ['GET'], forPrograms: true },
  // RFC 8414 §3.1: the path of the issuer follows the well-known path.
  {
    url: '/.well-known/oauth-authorization-server/oidc',
    methods: ['GET'],
    forPrograms: true,
    get: 'discovery',
  },
  { url: '/oidc/jwks', methods: ['GET'], forPrograms: true },
  { url: '/oidc/token', methods: ['POST'], forPrograms: true },
  { url: '/oidc/token/revocation', methods: ['POST'], forPrograms: true, post: 'aboutToken' },
  { url: '/oidc/token/introspection', methods: ['POST'], forPrograms: true, post: 'aboutToken' },
  {
    url: '/oidc/request',
    methods: ['POST'],
    forPrograms: true,
    storesParameters: true,
    post: 'pushedAuthorization',
  },
  { url: '/oidc/device/auth', methods: ['POST'], forPrograms: true, storesParameters: true },
  {
    url: '/oidc/auth',
    methods: ['GET', 'POST'],
    getWrites: true,
    storesParameters: true,
    get: 'authorization',
    post: 'redirectToGet',
  },
  { url: '/oidc/auth/:uid', methods: ['GET'], getWrites: true },
  { url: '/oidc/device', methods: ['GET', 'POST'], getWrites: true },
  { url: '/oidc/device/:uid', methods: ['GET'], getWrites: true },
  {
    url: '/oidc/session/end',
    methods: ['GET', 'POST'],
    getWrites: true,
    storesParameters: true,
    post: 'redirectToGet',
  },
  { url: '/oidc/session/end/confirm', methods: ['POST'] },
  { url: '/oidc/session/end/success', methods: ['GET'] },
]
