/** An address of the OpenID provider, and what is done with a request before the provider gets it. */
export type Endpoint = {
  url: string
  methods: ('GET' | 'POST')[]
  /** Programs call it, from any origin (decision 0002); without it a browser shows what it answers. */
  forPrograms?: boolean
  /** True if a GET stores a row and is therefore rate limited like a POST. */
  getWrites?: boolean
  /** The provider stores parameters such as `state` as JSON. */
  storesParameters?: boolean
  /** Rewrites a GET, HEAD or OPTIONS request. If missing, only the host is rewritten. */
  get?: 'authorization' | 'discovery'
  /** Rewrites the form of a POST. If missing, the provider gets it unchanged. */
  post?: 'redirectToGet' | 'pushedAuthorization' | 'aboutToken'
}

/** Page that ends the device flow: unlike the address that leads to it, it can be opened again. */
export const DEVICE_DONE = '/device/done'

export const DISCOVERY = '/oidc/.well-known/openid-configuration'

export const ENDPOINTS: Endpoint[] = [
  { url: DISCOVERY, methods: ['GET'], forPrograms: true },
  // RFC 8414 §3.1: the issuer's path comes behind the well-known one.
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
