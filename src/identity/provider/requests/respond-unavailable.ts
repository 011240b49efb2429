import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { isUnavailable } from '../../../kernel/is-unavailable.ts'
import { unavailable } from '../../../http/wire/errors/refusals.ts'

type Context = KoaContextWithOIDC

/**
 * Answers 503 with `Retry-After` when the database is away. The library would answer 500, or send the browser back to the
 * app with `server_error`, and most apps take either for the end of the matter.
 *
 * @param answer writes the body
 */
export function respondUnavailable(
  provider: InstanceType<typeof Provider>,
  answer: (ctx: Context) => void,
) {
  /** Whose failure the library has already turned into an answer of its own. */
  const failed = new WeakSet<Context>()
  provider.on('server_error', (ctx, error) => {
    if (isUnavailable(error)) failed.add(ctx)
  })
  provider.use(async (ctx: Context, next: () => Promise<unknown>) => {
    try {
      await next()
    } catch (error) {
      // Outside of the library's own handlers.
      if (!isUnavailable(error)) throw error
      provider.emit('server_error', ctx, error)
    }
    if (!failed.has(ctx)) return
    const { status, headers } = unavailable()
    answer(ctx)
    ctx.status = status
    ctx.set({ ...headers, 'cache-control': 'no-store' })
  })
}
