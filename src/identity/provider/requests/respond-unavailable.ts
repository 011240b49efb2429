import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { isUnavailable } from '../../../kernel/is-unavailable.ts'
import { unavailable } from '../../../http/wire/errors/refusals.ts'

type Context = KoaContextWithOIDC

/**
 * Responds with 503 and `Retry-After` while the database is unavailable. The library would respond with 500 or redirect
 * to the app with `server_error`, which most apps treat as final.
 *
 * @param writeBody writes the error page or JSON
 */
export function respondUnavailable(
  provider: InstanceType<typeof Provider>,
  writeBody: (ctx: Context) => void,
) {
  /** Contexts for which the library has already written an error response. */
  const failed = new WeakSet<Context>()
  provider.on('server_error', (ctx, error) => {
    if (isUnavailable(error)) failed.add(ctx)
  })
  provider.use(async (ctx: Context, next: () => Promise<unknown>) => {
    try {
      await next()
    } catch (error) {
      // Thrown outside the library's own handlers.
      if (!isUnavailable(error)) throw error
      provider.emit('server_error', ctx, error)
    }
    if (!failed.has(ctx)) return
    const { status, headers } = unavailable()
    writeBody(ctx)
    ctx.status = status
    ctx.set({ ...headers, 'cache-control': 'no-store' })
  })
}
