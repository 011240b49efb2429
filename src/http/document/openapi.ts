import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { USER_PREFIXES } from '../wire/path-families.ts'
import { API_HEADERS } from '../wire/headers.ts'

/** Where people read the document. */
export const DOCS_PATH = '/docs'

/** All the page needs is here; not `upgrade-insecure-requests`, which breaks it on an address without TLS. */
const docsPolicy = (...addresses: string[]) =>
  [
    "default-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "object-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Where a token comes from and where it is tried.
    `connect-src 'self' ${addresses.join(' ')}`,
  ].join('; ')

const DESCRIPTION = `
The catalog of galgames, light novels, mangas, people, producers and characters, and what readers record of it.

For the catalog get a token with your app's id and secret at the token endpoint, for what is a reader's own one by the
authorization code flow, and send it as \`Authorization: Bearer …\`. The paths of the catalog also answer at \`/v3\` instead of
\`/api/v3/open\`, and those at \`/v3/user/me\` also at \`/api/v3/open/user/me\`. Answers of the catalog carry a strong \`ETag\`;
\`If-None-Match\` gets 304.
`.trim()

export type DocumentOptions = {
  authUrl: string
  apiUrl: string
  baseUrl: string
  /** What each scope is good for. */
  scopes: { application: Record<string, string>; user: Record<string, string> }
}

/**
 * The OpenAPI document, made from the routes: served at `/openapi.json`, to be read at `/docs`. Register it before
 * the routes.
 */
export async function openApiDocument(app: FastifyInstance, options: DocumentOptions) {
  const { authUrl, apiUrl, baseUrl, scopes } = options
  await app.register(swagger, {
    transformObject(described) {
      const document = 'openapiObject' in described ? described.openapiObject : described.swaggerObject
      // The user API may have a host of its own (§4.3).
      if (apiUrl !== baseUrl)
        for (const [path, operations] of Object.entries(document.paths ?? {}))
          if (operations && path.startsWith(USER_PREFIXES[0]))
            Object.assign(operations, { servers: [{ url: apiUrl }] })
      return document
    },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'mokuroku',
        // §9: the label of the public API
        version: '3.13.0',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      tags: [
        'Galgames',
        'Light novels',
        'Mangas',
        'People',
        'Producers',
        'Characters',
        'Changes',
        'Ratings',
        'Reviews',
        'Collections',
        'Profile',
        'Developer apps',
        'Operations',
      ].map((name) => ({ name })),
      components: {
        securitySchemes: {
          application: {
            type: 'oauth2',
            description:
              'Application tokens (§5.5): an hour long, from the id and secret of a confidential app',
            flows: { clientCredentials: { tokenUrl: `${authUrl}/oidc/token`, scopes: scopes.application } },
          },
          developer: {
            type: 'oauth2',
            description:
              'User-level tokens of the console and the command line, to manage the user’s own apps (§4.2)',
            flows: {
              authorizationCode: {
                authorizationUrl: `${authUrl}/oidc/auth`,
                tokenUrl: `${authUrl}/oidc/token`,
                refreshUrl: `${authUrl}/oidc/token`,
                scopes: { 'developer:apps': 'See and change the apps the user has registered' },
              },
            },
          },
          user: {
            type: 'oauth2',
            description:
              'User-level tokens (§5.2): an hour long, by the authorization code flow with PKCE (S256), from an app that has a redirect URI',
            flows: {
              authorizationCode: {
                authorizationUrl: `${authUrl}/oidc/auth`,
                tokenUrl: `${authUrl}/oidc/token`,
                refreshUrl: `${authUrl}/oidc/token`,
                scopes: { ...scopes.application, ...scopes.user },
              },
            },
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
    },
  })
  await app.register(swaggerUi, {
    routePrefix: DOCS_PATH,
    staticCSP: true,
    transformStaticCSP: () => docsPolicy(authUrl, baseUrl, apiUrl),
    uiConfig: { deepLinking: true, displayRequestDuration: true, layout: 'BaseLayout' },
    theme: { title: 'mokuroku: API' },
  })
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.headers(API_HEADERS).send(app.swagger()),
  )
}
