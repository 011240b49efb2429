import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../http/admission/access.ts'
import type { DelegatedCallers } from '../http/admission/delegated-callers.ts'
import { ApiError } from '../http/wire/errors/errors.ts'
import { API_HEADERS } from '../http/wire/errors/headers.ts'
import { isLoopback } from '../kernel/networks.ts'
import { openToolServer } from './serve-tools.ts'
import { FIRST_SCOPES, TOOL_SCOPES } from './tools.ts'

export type McpOptions = {
  /** Root of the service, whose API the tools call. */
  root: FastifyInstance
  callers: DelegatedCallers
  authUrl: string
  /** `{base_url}/mcp`. */
  mcpUrl: string
  undoKey: string
}

/** Time, in milliseconds, after which the library must have responded to a message. */
const MAX_DURATION_MS = 30_000

const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** Returns the URL of a resource's metadata (RFC 9728 §3.1). */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${METADATA_PATH}${pathname}`
}

/** Response to several messages in one request, which only the revision of March 2025 allows. */
const NO_BATCHES = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'Send one message per request' },
}

/** Serves `/mcp`, where agents call tools (decision 0054). */
export async function mcp(app: FastifyInstance, options: McpOptions) {
  const { root, callers, authUrl, mcpUrl, undoKey } = options
  const metadataUrl = metadataUrlOf(mcpUrl)
  protectedResource(app, {
    resource: mcpUrl,
    authUrl,
    scopes: TOOL_SCOPES,
    name: 'mokuroku tools for agents',
  })

  let server: ReturnType<typeof openToolServer> | undefined
  app.addHook('onClose', async () => (await server)?.close())
  const toolServer = () =>
    (server ??= openToolServer({ app: root, callers, metadataUrl, undoKey }).catch(
      (error: unknown) => {
        server = undefined
        throw error
      },
    ))
  app.post(
    '/mcp',
    {
      config: { access: 'mcp' },
      schema: { hide: true },
      onRequest: async (request) => refuseForeignPages(request, mcpUrl),
    },
    async (request, reply) => {
      if (Array.isArray(request.body)) return reply.status(400).send(NO_BATCHES)
      const tools = await toolServer()
      const response = await tools.respond(request, callerOf(request), {
        url: mcpUrl,
        signal: AbortSignal.any([closed(reply), AbortSignal.timeout(MAX_DURATION_MS)]),
      })
      return sendResponse(request, reply, response)
    },
  )
}

/** Returns a signal that aborts when the client disconnects. */
function closed({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => controller.abort())
  return controller.signal
}

/** Serves the metadata of a protected resource (RFC 9728), from which clients learn where to get tokens. */
export function protectedResource(
  app: FastifyInstance,
  resource: { resource: string; authUrl: string; scopes: string[]; name: string },
) {
  const body = {
    resource: resource.resource,
    authorization_servers: [`${resource.authUrl}/oidc`],
    scopes_supported: resource.scopes,
    bearer_methods_supported: ['header'],
    resource_name: resource.name,
    resource_documentation: `${resource.authUrl}/guide`,
  }
  app.get(
    new URL(metadataUrlOf(resource.resource)).pathname,
    { config: { access: 'anonymous' }, schema: { hide: true } },
    (request, reply) =>
      reply
        .headers({ ...API_HEADERS, 'cache-control': 'no-cache', 'x-request-id': request.id })
        .send(body),
  )
}

/**
 * Adds the metadata URL and the required scopes to the challenge of a refusal, so that the client can get a token (RFC
 * 9728 §5.1).
 *
 * @returns the refusal itself
 */
export function withResourceMetadata(refusal: unknown, mcpUrl: string): unknown {
  if (!(refusal instanceof ApiError)) return refusal
  const challenge = refusal.headers['www-authenticate']
  if (challenge !== undefined)
    refusal.headers['www-authenticate'] =
      `${challenge}, resource_metadata="${metadataUrlOf(mcpUrl)}", scope="${FIRST_SCOPES.join(' ')}"`
  return refusal
}

/**
 * Refuses requests of web pages to a service on the user's own machine. DNS rebinding would otherwise let a page of any
 * site send them. A public service allows every origin, as the rest of the API does.
 *
 * @throws {ApiError} `AUTH_FORBIDDEN` if the host or the origin is not this machine
 */
function refuseForeignPages({ headers }: FastifyRequest, mcpUrl: string) {
  if (!isLoopback(new URL(mcpUrl).hostname)) return
  const sent = [`http://${headers.host ?? ''}`, ...(headers.origin ? [headers.origin] : [])]
  if (!sent.every((url) => isLoopback(URL.parse(url)?.hostname ?? '')))
    throw new ApiError('AUTH_FORBIDDEN', { code: 'request.foreign_page' })
}

/** Sends a response of the library with the headers of the API. */
async function sendResponse(request: FastifyRequest, reply: FastifyReply, response: Response) {
  const body = await response.text()
  return reply
    .status(response.status)
    .headers({
      ...API_HEADERS,
      'cache-control': 'no-store',
      'x-request-id': request.id,
      ...Object.fromEntries(response.headers),
    })
    .send(body)
}
