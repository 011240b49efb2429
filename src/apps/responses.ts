import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { documentOperation, type Operation } from '../http/document/operation.ts'
import { ApiError, notFound } from '../http/wire/errors.ts'
import { validationError } from '../http/wire/validation.ts'

type AppOperation = Pick<Operation, 'operationId' | 'summary' | 'success' | 'more'>

/** What every operation on apps answers beside its success, with the refusals it really gives. */
export function documentApps(operation: AppOperation, missing?: Operation['missing']): FastifySchema {
  const { operationId } = operation
  const faults = /^(create|update)/.test(operationId)
    ? fieldFaults(operationId === 'createDeveloperApp')
    : undefined
  return documentOperation({
    tag: 'Developer apps',
    by: 'developer',
    scope: 'developer:apps',
    ...operation,
    ...(missing && { missing }),
    takesBody: !/^(list|get)/.test(operationId),
    ...(faults && { faults }),
  })
}

/** The same for one app, named in the path. */
export const documentApp = (operation: AppOperation): FastifySchema => ({
  ...documentApps(operation, { missing: notFound('You have no such app.') }),
  params: Type.Object({ client_id: Type.String() }),
})

/** The refusal to give a public app a secret. */
export const hasNoSecret = () =>
  new ApiError(
    'COMMON_CONFLICT',
    'A public app has no secret. Make it confidential first: {"client_type": "confidential"}.',
  )

/** The refusal of one app more than an account may have. */
export const limitExceeded = (most: number) =>
  new ApiError('DEVELOPER_APP_LIMIT_EXCEEDED', `You have ${most} apps already. Delete one first.`, {
    details: { limit: most },
  })

const fieldFaults = (creates: boolean) => ({
  fields: validationError([
    { field: 'client_name', message: 'must have 1 to 64 characters', code: 'rule' },
    {
      field: 'scopes.0',
      message: 'status:write is granted by users: register a redirect URI first',
      code: 'rule',
    },
  ]),
  ...(creates && { limit: limitExceeded(20) }),
})
