import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { developerRoutes } from './apps/routes.ts'
import { APPLICATION_SCOPES } from './apps/scopes.ts'
import type { Usage } from './apps/usage.ts'
import { Answers } from './catalog/answers.ts'
import { catalogGuard } from './catalog/guard.ts'
import { catalog } from './catalog/plugin.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Signals } from './db/signals.ts'
import { guardRoutes } from './http/access.ts'
import { answerBadConnection } from './http/bad-connections.ts'
import { unavailable } from './http/errors.ts'
import { handleErrors, refuse, toApiError } from './http/handle-errors.ts'
import { DOCS_PATH, openApiDocument } from './http/openapi.ts'
import { answerOtherMethods } from './http/other-methods.ts'
import { requestIds } from './http/request-id.ts'
import { ErrorEnvelope } from './http/schemas.ts'
import type { Throttle } from './http/throttle.ts'
import { userGuard } from './http/user-guard.ts'
import { validatorCompiler } from './http/validation.ts'
import type { Identity } from './identity/identity.ts'
import { browserPages } from './identity/browser/plugin.ts'
import { identityPlugin } from './identity/plugin.ts'
import { assets } from './pages/assets.ts'
import { health } from './operations/health.ts'
import { logRequests } from './operations/log-requests.ts'

export type AppOptions = {
  config: Config
  db: Database
  signals: Signals
  identity: Identity
  throttle: Throttle
  usage: Usage
  /** Has mails sent at once that were just queued. */
  sendMails: () => void
  log: Logger
}

/** Every part of the service, in order: the table of contents. */
export async function buildApp({
  config,
  db,
  signals,
  identity,
  throttle,
  usage,
  sendMails,
  log,
}: AppOptions): Promise<FastifyInstance> {
  const nextRequestId = requestIds()
  const app = Fastify({
    genReqId: nextRequestId,
    bodyLimit: 64 * 1024,
    requestTimeout: 30_000,
    // Without it the limits above are looked at only twice a minute.
    http: { connectionsCheckingInterval: 2_000 },
    keepAliveTimeout: 72_000,
    // So many hops, never all: what the client itself wrote before them is not believed.
    trustProxy: config.trustedProxies > 0 && ((_address, hop) => hop < config.trustedProxies),
    // Longer ones cannot be of ours, yet get our own 404.
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerBadConnection(error, socket, nextRequestId({ headers: {} })),
    frameworkErrors: (error, request, reply) => refuse(toApiError(error), request, reply),
  })
  app.server.headersTimeout = 15_000
  app.setValidatorCompiler(validatorCompiler())
  // Answers are written as JSON by those who make them; the schemas of responses are for the document and the tests.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  app.addSchema(ErrorEnvelope)

  handleErrors(app, log, (clientId) => usage.count(clientId, 'errors'))
  refuseWhileClosing(app)
  if (config.logRequests) logRequests(app, log)

  const { verifyToken } = identity
  const { catalogRequestsPerMinute: requestsPerMinute, failedAuthenticationsPerMinute } = config
  guardRoutes(
    app,
    {
      catalog: catalogGuard({
        verifyToken,
        throttle,
        requestsPerMinute,
        failedAuthenticationsPerMinute,
        usage,
      }),
      developer: userGuard({
        verifyToken,
        throttle,
        failedAuthenticationsPerMinute,
        requestsPerMinute: config.developerRequestsPerMinute,
        keyOf: ({ accountId }) => `developer:${accountId}`,
      }),
    },
    DOCS_PATH,
  )
  const otherMethods = answerOtherMethods(app)

  const answers = new Answers(config.catalogCacheBytes)
  signals.on('catalog', () => answers.forget())

  await openApiDocument(app, { ...config, scopes: APPLICATION_SCOPES })
  await app.register(health, { db })
  await app.register(identityPlugin, { identity, ...config })
  await app.register(assets)
  const { tokenRequestsPerMinute, authUrl, secretKey } = config
  const forms = { requestsPerMinute: tokenRequestsPerMinute }
  await app.register(browserPages, { db, identity, authUrl, secretKey, sendMails, log, ...forms })
  await app.register(catalog, { db, answers, baseUrl: config.baseUrl })
  await app.register(developerRoutes, { db, appsPerAccount: config.appsPerAccount })

  otherMethods()
  await app.ready()
  return app
}

/** What arrives on an open connection after the stop began is refused; what is in flight is finished. */
function refuseWhileClosing(app: FastifyInstance) {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', (_request, _reply, done) => done(closing ? unavailable() : undefined))
}
