import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { DatabaseClock } from '../../db/upkeep/database-clock.ts'
import { coalesce } from '../../kernel/async/coalesce.ts'
import { listSigningKeys, nextKeyChange, type SigningKey } from './keys.ts'

/** Minimum interval, in milliseconds, between two reloads for tokens with an unknown key id. Anyone can make up such an id. */
const TOKEN_RELOAD_MS = 250
/** Delay, in milliseconds, of a reload after a key's first use or its retirement. */
const CHANGE_DELAY_MS = 50
/** Delay, in milliseconds, after a failure. */
const RETRY_MS = 1_000

export type FollowedKeys = {
  /** Reloads the keys. Never runs twice at once, so that an older list cannot replace a newer one. */
  reload: () => Promise<void>
  /** Reloads the keys for a token with an unknown key id. */
  reloadForToken: () => Promise<void>
  stop(): void
}

/**
 * Follows the published signing keys, including those that other processes create or withdraw.
 *
 * @param use called only if the keys have changed, because each replacement invalidates all cached verdicts
 */
export function followSigningKeys(
  options: { db: Database; secretKey: string | undefined; clock: DatabaseClock; log: Logger },
  use: (keys: SigningKey[]) => Promise<void>,
): FollowedKeys {
  const { db, secretKey, clock, log } = options
  let used: SigningKey[] = []
  let next: NodeJS.Timeout | undefined
  let isStopped = false

  const reload = coalesce(0, async () => {
    const keys = await listSigningKeys(db, secretKey, new Date(clock.now()))
    if (!isDeepStrictEqual(keys, used)) {
      await use(keys)
      used = keys
    }
    const change = nextKeyChange(keys, new Date(clock.now()))
    if (change) reloadIn(change.getTime() - clock.now() + CHANGE_DELAY_MS)
  })

  function reloadIn(delayMs: number) {
    clearTimeout(next)
    if (!isStopped) next = setTimeout(reloadOnTimer, delayMs).unref()
  }

  function reloadOnTimer() {
    reload().catch((err: unknown) => {
      log.error({ err }, 'Signing keys could not be read; retrying')
      reloadIn(RETRY_MS)
    })
  }

  return {
    reload,
    reloadForToken: coalesce(TOKEN_RELOAD_MS, reload),
    stop() {
      isStopped = true
      clearTimeout(next)
    },
  }
}
