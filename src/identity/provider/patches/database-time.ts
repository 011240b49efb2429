import type { Configuration } from 'oidc-provider'
import type { DatabaseClock } from '../../../db/upkeep/database-clock.ts'
import type { LibraryProvider } from '../oidc-provider.ts'

type CustomizeJwt = NonNullable<
  NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt']
>

/**
 * Returns a function that sets the times of access tokens by the clock of the database. The library uses that of the
 * process.
 */
export const datedByDatabase =
  ({ skewSeconds }: Pick<DatabaseClock, 'skewSeconds'>): CustomizeJwt =>
  (_ctx, _token, { payload }) => {
    for (const name of ['iat', 'exp'] as const)
      if (typeof payload[name] === 'number') payload[name] += skewSeconds()
    return undefined
  }

/**
 * Sets the times of ID and logout tokens by the clock of the database. The library assigns `iat` and `exp` just before
 * it signs.
 *
 * Upstream: an option with the current time.
 * Tests: `test/clock-skew.test.ts`
 */
export function dateIdTokens(
  provider: LibraryProvider,
  { skewSeconds }: Pick<DatabaseClock, 'skewSeconds'>,
) {
  // as: the types omit it
  const { IdToken } = provider as unknown as {
    IdToken: { prototype: { payload(): Promise<Record<string, unknown>> } }
  }
  const { payload: readPayload } = IdToken.prototype
  IdToken.prototype.payload = async function datedPayload() {
    const payload = await readPayload.call(this)
    const skew = skewSeconds()
    if (skew === 0) return payload
    for (const name of ['iat', 'exp', 'auth_time']) {
      let time = payload[name]
      const add = (value: unknown) => {
        time = typeof value === 'number' ? value + skew : value
      }
      if (time !== undefined) add(time)
      Object.defineProperty(payload, name, { enumerable: true, get: () => time, set: add })
    }
    return payload
  }
}
