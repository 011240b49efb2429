import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { PageError } from '../../ui/page/errors.ts'
import type { WebOptions } from '../options.ts'

/** Codes of PostgreSQL for a statement that waited too long: for a lock, and in all. */
const WAITED_TOO_LONG = new Set(['55P03', '57014'])

/**
 * Says to who changes their list that an import of theirs is being written: at once where this process writes it, and where
 * another does, when the change has waited for it for long enough.
 */
export function refuseDuringImport(
  app: FastifyInstance,
  {
    imports,
    accountOf,
  }: Pick<WebOptions, 'imports'> & { accountOf: (request: FastifyRequest) => number },
): void {
  const refusal = ({ page }: FastifyRequest) => {
    const { importPage: words } = page.messages
    return new PageError(409, words.running, words.runningText)
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
    const hasWaited = request.method === 'POST' && WAITED_TOO_LONG.has(code)
    // as: which any error may be
    const shown = (hasWaited ? refusal(request) : error) as FastifyError
    return errorHandler.call(app, shown, request, reply)
  })
}
