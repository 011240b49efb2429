import type { FastifyRequest } from 'fastify'
import { requireOwnApp } from '../apps/owner-queries.ts'
import type { App } from '../apps/queries.ts'
import { isClientId } from '../apps/secrets.ts'
import type { AppRoute, OwnedOptions } from './options.ts'

/**
 * Returns the app named in the path.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` if it does not exist or has another owner
 */
export const ownAppOf = (
  { db, accountOf }: OwnedOptions,
  request: FastifyRequest<AppRoute>,
): Promise<App> =>
  requireOwnApp(
    db,
    accountOf(request),
    isClientId(request.params.client_id) ? request.params.client_id : '',
  )

export const appPath = ({ client_id }: Pick<App, 'client_id'>, section = '') =>
  `/console/apps/${client_id}${section === '' ? '' : `/${section}`}`
