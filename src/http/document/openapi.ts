import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { Config } from '../../config/config.ts'
import { USER_PREFIXES } from '../wire/addresses/path-families.ts'
import { adaptToGenerators } from './for-generators.ts'
import type { PictureUrls } from '../wire/picture-urls.ts'
import { hoistComponents } from './components.ts'
import { infoOf, TAGS } from './introduction.ts'
import { serveDocument } from './serve-document.ts'

export type DocumentOptions = {
  authUrl: string
  apiUrl: string
  baseUrl: string
  publicContact?: string | undefined
  legalFiles?: Config['legalFiles']
  /** Whether the catalog answers requests without a token. */
  anonymousCatalog: boolean
  /** Description of each scope. */
  scopes: { application: Record<string, string>; user: Record<string, string> }
  /** Signs the picture URLs in examples. */
  examplePictures: PictureUrls
}

/**
 * Generates the OpenAPI document from the routes and serves it at `/openapi.json`. Call it before registering routes.
 */
export async function openApiDocument(app: FastifyInstance, options: DocumentOptions) {
  const { authUrl, apiUrl, baseUrl, scopes, examplePictures, anonymousCatalog } = options
  const oidc = `${authUrl}/oidc`
  await app.register(swagger, {
    transform: ({ schema, url, route }) => ({
      schema: describeAccess(schema, route.config, anonymousCatalog),
      url,
    }),
    transformObject(described) {
      const document =
        'openapiObject' in described ? described.openapiObject : described.swaggerObject
      // The user API may have its own host (§4.3).
      if (apiUrl !== baseUrl)
        for (const [path, operations] of Object.entries(document.paths ?? {}))
          if (operations && path.startsWith(USER_PREFIXES[0]))
            Object.assign(operations, { servers: [{ url: apiUrl }] })
      makeNullableBodiesOptional(document.paths)
      // as: the value is a copy of the document
      const shown = JSON.parse(examplePictures.rewriteJson(JSON.stringify(document))) as object
      const hoisted = hoistComponents(shown)
      adaptToGenerators(hoisted)
      // as: the value is the same document with references
      return hoisted as typeof document
    },
    openapi: {
      openapi: '3.1.0',
      info: infoOf(options),
      servers: [{ url: baseUrl }],
      tags: TAGS,
      components: {
        securitySchemes: {
          application: {
            type: 'oauth2',
            description:
              'Application tokens (§5.5): valid for an hour, issued for the id and secret of a confidential app',
            flows: { clientCredentials: { tokenUrl: `${oidc}/token`, scopes: scopes.application } },
          },
          developer: {
            type: 'oauth2',
            description:
              'User-level tokens of the console and the command line, for managing the user’s own apps (§4.2)',
            flows: {
              authorizationCode: {
                authorizationUrl: `${oidc}/auth`,
                tokenUrl: `${oidc}/token`,
                refreshUrl: `${oidc}/token`,
                scopes: { 'developer:apps': 'View and manage the user’s apps' },
              },
            },
          },
          user: {
            type: 'oauth2',
            description:
              'User-level tokens (§5.2): valid for an hour, issued by the authorization code flow with PKCE (S256) to an app with a redirect URI',
            flows: {
              authorizationCode: {
                authorizationUrl: `${oidc}/auth`,
                tokenUrl: `${oidc}/token`,
                refreshUrl: `${oidc}/token`,
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
  serveDocument(app)
}

/** Makes bodies optional if their schema admits null, because validation treats a missing body as null. */
function makeNullableBodiesOptional(paths: object = {}) {
  for (const operations of Object.values(paths))
    for (const operation of Object.values<unknown>(operations)) {
      // as: every property is checked before use
      const { requestBody: body } = operation as {
        requestBody?: { required?: boolean; content?: object }
      }
      if (body && JSON.stringify(body.content).includes('"type":["object","null"]'))
        body.required = false
    }
}

/**
 * Adds the required token to the description of an operation.
 *
 * @param anonymousCatalog whether operations of the catalog need no token, unless they need another scope
 */
function describeAccess(
  schema: FastifySchema,
  config: FastifyContextConfig = {},
  anonymousCatalog = false,
) {
  const { access, scope = 'catalog:read' } = config
  const isAnonymous = anonymousCatalog && access === 'catalog' && scope === 'catalog:read'
  const descriptions: Partial<Record<NonNullable<typeof access>, string>> = {
    public: 'Requires no token.',
    anonymous: 'Requires no token.',
    catalog: isAnonymous
      ? `Requires no token. Adult works need a token with the scope \`catalog:full\`.`
      : `Requires a token of an application or a user with the scope \`${scope}\`.`,
    user: `Requires a user-level token with the scope \`${scope}\`.`,
    developer: `Requires a user-level token with the scope \`${scope}\`.`,
  }
  const description = [schema.description, access && descriptions[access]]
    .filter(Boolean)
    .join('\n\n')
  const security = isAnonymous ? [...(schema.security ?? []), {}] : schema.security
  return { ...schema, description, ...(security && { security }) }
}
