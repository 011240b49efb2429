import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { PageError } from '../../ui/page/errors.ts'
import type { PageRouteOptions } from '../options.ts'

/** PostgreSQL error codes for a lock timeout and a statement timeout. */
const TIMEOUT_CODES = new Set(['55P03', '57014'])

/**
 * Rejects changes to a list while an import is writing to it. Imports in this process are detected at once. For
 * imports in other processes, the change waits for the lock until it times out.
 */
export function rejectDuringImport(
  app: FastifyInstance,
  {
    imports,
    accountOf,
  }: Pick<PageRouteOptions, 'imports'> & { accountOf: (request: FastifyRequest) => number },
): void {
  const refusal = ({ page }: FastifyRequest) => {
    const { importPage: texts } = page.messages
    return new PageError(409, texts.running, texts.runningText)
  }
  app.addHook('preHandler', (request, _reply, done) => {
    done(
      request.method === 'POST' && imports.isBusy(accountOf(request))
        ? refusal(request)
        : undefined,
    )
  })
  const { errorHandler } = app
  app.setErrorHandler((error, request, reply) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const hasWaited = request.method === 'POST' && TIMEOUT_CODES.has(code)
    // as: the type of any error that a handler receives
    const shown = (hasWaited ? refusal(request) : error) as FastifyError
    return errorHandler.call(app, shown, request, reply)
  })
}
