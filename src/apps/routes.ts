import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Origin } from '../audit/events.ts'
import { originOf } from '../audit/origin-of.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../db/upkeep/signals.ts'
import { respondAfter } from '../http/wire/respond-after.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { documentedRoute } from '../http/document/operation.ts'
import { hasNoSecret } from '../http/wire/errors/feature-refusals.ts'
import { sendEnvelope, sendNothing } from '../http/wire/errors/send-envelope.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { readBody, refuseFaults } from '../http/wire/requests/validation.ts'
import { applyChange, INITIAL_SETTINGS, type Settings } from './rules/app-rules.ts'
import {
  createOwnApp,
  deleteOwnApp,
  endPreviousSecret,
  listOwnApps,
  rotateSecret,
  updateOwnApp,
  type ChangedApp,
} from './owner-queries.ts'
import type { App } from './queries.ts'
import {
  APP_FAULTS,
  APPS_OPERATION,
  type ClientIdParams,
  NEW_APP_FAULTS,
  ONE_APP_OPERATION,
  ownerAndId,
  requestedApp,
  ROTATION_FAULTS,
  USAGE_FAULTS,
} from './app-operations.ts'
import {
  AppChange,
  AppEndpointUsage,
  AppUsage,
  ChangedAppEnvelope,
  DeveloperApp,
  DeveloperAppWithSecret,
  NewAppBody,
  RefusedAppRequest,
  UsageQuery,
  SecretRotation,
} from './schemas.ts'
import { listEndpointUsage } from './usage/endpoint-usage-queries.ts'
import { listRefusedRequests } from './usage/refused-request-queries.ts'
import type { UploadBucket } from '../uploads/upload-bucket.ts'
import { logoRoutes } from './logo-routes.ts'
import { findUsage } from './usage/usage-queries.ts'
import { toAppResponse } from './app-response.ts'
import { DEVELOPER_APPS_PATH } from '../http/wire/addresses/path-families.ts'

export type DeveloperOptions = {
  db: Database
  uploadBucket: UploadBucket | undefined
  signals: Signals
  appsPerAccount: number
  baseUrl: string
  /** Enqueues the email about a new app, in the same transaction. */
  notifyOwner: (trx: Database, accountId: number, origin: Origin) => Promise<void>
  /** Makes the outbox send its emails now. */
  wakeOutbox: () => void
}

const ONE = `${DEVELOPER_APPS_PATH}/:client_id`

/** Developers' own apps (§4.2). */
export async function developerRoutes(
  app: FastifyInstance,
  { db, uploadBucket, signals, appsPerAccount, baseUrl, notifyOwner, wakeOutbox }: DeveloperOptions,
) {
  respondAfter(app, signals.catchUp)
  addSchemas(app, [
    DeveloperApp,
    DeveloperAppWithSecret,
    AppUsage,
    AppEndpointUsage,
    RefusedAppRequest,
  ])
  usageRoutes(app, db)
  await app.register(logoRoutes, { db, baseUrl, uploadBucket })
  const toResponse = (app: App) => toAppResponse(app, baseUrl)

  function sendChanged(
    request: FastifyRequest,
    reply: FastifyReply,
    { app, secret, droppedScopes }: ChangedApp,
  ) {
    const details = droppedScopes.length > 0 ? { dropped_scopes: droppedScopes } : undefined
    return sendEnvelope(
      request,
      reply,
      { ...toResponse(app), client_secret: secret ?? null },
      details,
    )
  }

  app.get(
    DEVELOPER_APPS_PATH,
    documentedRoute({
      ...APPS_OPERATION,
      operationId: 'listDeveloperApps',
      summary: 'List your apps, oldest first',
      success: { 200: Envelope(Type.Array(Ref(DeveloperApp))) },
    }),
    async (request, reply) =>
      sendEnvelope(request, reply, (await listOwnApps(db, accountOf(request))).map(toResponse)),
  )

  app.post<{ Body: AppChange }>(
    DEVELOPER_APPS_PATH,
    {
      ...documentedRoute({
        ...APPS_OPERATION,
        operationId: 'createDeveloperApp',
        summary: 'Create an app and get its secret, which is shown only once',
        body: NewAppBody,
        success: { 201: Envelope(Ref(DeveloperAppWithSecret)) },
        faults: NEW_APP_FAULTS,
      }),
      attachValidation: true,
    },
    async (request, reply) => {
      refuseWrong(request)
      const owner = accountOf(request)
      const origin = originOf(request)
      const notify = (trx: Database) => notifyOwner(trx, owner, origin)
      const created = await createOwnApp(db, owner, request.body, appsPerAccount, notify, origin)
      wakeOutbox()
      void reply.status(201).header('location', `${DEVELOPER_APPS_PATH}/${created.app.client_id}`)
      return sendChanged(request, reply, created)
    },
  )

  app.get<ClientIdParams>(
    ONE,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'getDeveloperApp',
      summary: 'Get one of your apps',
      success: { 200: Envelope(Ref(DeveloperApp)) },
    }),
    async (request, reply) =>
      sendEnvelope(request, reply, toResponse(await requestedApp(db, request))),
  )

  app.patch<ClientIdParams & { Body: AppChange }>(
    ONE,
    {
      ...documentedRoute({
        ...ONE_APP_OPERATION,
        operationId: 'updateDeveloperApp',
        summary: 'Update the fields that are sent, all of them or none',
        body: AppChange,
        success: { 200: ChangedAppEnvelope },
        faults: APP_FAULTS,
      }),
      attachValidation: true,
    },
    async (request, reply) => {
      refuseWrong(request, await requestedApp(db, request))
      const changed = await updateOwnApp(
        db,
        ...ownerAndId(request),
        request.body,
        originOf(request),
      )
      return sendChanged(request, reply, changed)
    },
  )

  app.delete<ClientIdParams>(
    ONE,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'deleteDeveloperApp',
      summary: 'Delete an app with its grants and tokens',
      ignoresBody: true,
      success: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await deleteOwnApp(db, ...ownerAndId(request), originOf(request))
      return sendNothing(request, reply)
    },
  )

  app.post<ClientIdParams & { Body: SecretRotation | undefined }>(
    `${ONE}/secret`,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'rotateDeveloperAppSecret',
      summary: 'Rotate the secret; by default, the old one and its tokens are revoked at once',
      body: SecretRotation,
      success: { 200: Envelope(Ref(DeveloperAppWithSecret)) },
      faults: ROTATION_FAULTS,
      conflicts: { hasNoSecret: hasNoSecret() },
    }),
    async (request, reply) => {
      const rotation = rotationOf(request.body)
      const rotated = await rotateSecret(db, ...ownerAndId(request), rotation, originOf(request))
      return sendChanged(request, reply, rotated)
    },
  )

  app.delete<ClientIdParams>(
    `${ONE}/secret/previous`,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'endPreviousDeveloperAppSecret',
      summary: 'Revoke the previous secret and its tokens before it expires',
      ignoresBody: true,
      success: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await endPreviousSecret(db, ...ownerAndId(request), {}, originOf(request))
      return sendNothing(request, reply)
    },
  )

  app.get<ClientIdParams>(
    `${ONE}/usage`,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'getDeveloperAppUsage',
      summary: 'Get the daily usage of an app',
      success: { 200: Envelope(Ref(AppUsage)) },
    }),
    async (request, reply) => {
      const { client_id } = await requestedApp(db, request)
      return sendEnvelope(request, reply, await findUsage(db, client_id))
    },
  )
}

/** Registers the routes for an app's usage, which only its owner may see. */
function usageRoutes(app: FastifyInstance, db: Database) {
  app.get<ClientIdParams & { Querystring: UsageQuery }>(
    `${ONE}/usage/endpoints`,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'getDeveloperAppEndpointUsage',
      summary: 'Get the usage of an app by day, route and status',
      querystring: UsageQuery,
      faults: USAGE_FAULTS,
      success: { 200: Envelope(Ref(AppEndpointUsage)) },
    }),
    async (request, reply) => {
      const { client_id } = await requestedApp(db, request)
      const days = await listEndpointUsage(db, client_id, request.query.days ?? 7)
      return sendEnvelope(request, reply, { days })
    },
  )

  app.get<ClientIdParams>(
    `${ONE}/refused-requests`,
    documentedRoute({
      ...ONE_APP_OPERATION,
      operationId: 'listDeveloperAppRefusedRequests',
      summary:
        'List the last rejected requests of an app with reasons: up to 100 of the last week, newest first',
      success: { 200: Envelope(Type.Array(Ref(RefusedAppRequest))) },
    }),
    async (request, reply) => {
      const { client_id } = await requestedApp(db, request)
      const refused = await listRefusedRequests(db, client_id)
      const shown = refused.map(({ coded_reason: _forPages, ...rest }) => rest)
      return sendEnvelope(request, reply, shown)
    },
  )
}

/** Rejects a body, and reports all violations of the schema and the rules together. */
function refuseWrong(request: FastifyRequest, current: Settings = INITIAL_SETTINGS) {
  if (!request.validationError) return
  const { readable, faults } = readBody<AppChange>(request, Object.keys(AppChange.properties))
  const outcome = applyChange(current, readable)
  refuseFaults([...faults, ...('faults' in outcome ? outcome.faults : [])])
}

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` if the request keeps the old secret valid but revokes its tokens */
function rotationOf(body: SecretRotation | undefined) {
  const { previous_secret_expires_in: previousExpiresIn = 0, revoke_tokens: revokeTokens } =
    body ?? {}
  if (previousExpiresIn > 0 && revokeTokens === true) throw ROTATION_FAULTS.tokensOfLiveSecret
  return { previousExpiresIn, revokeTokens: revokeTokens ?? previousExpiresIn === 0 }
}
