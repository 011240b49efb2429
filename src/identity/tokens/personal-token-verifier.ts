import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import {
  findPersonalTokens,
  recordTokenUse,
  type StoredPersonalToken,
} from '../../accounts/personal-tokens/queries.ts'
import {
  isPersonalToken,
  PERSONAL_TOKEN_PREFIX,
} from '../../accounts/personal-tokens/token-format.ts'
import { personalClientId } from '../../apps/rules/personal-client.ts'
import { withImplied } from '../../apps/rules/scopes.ts'
import type { Database } from '../../db/database.ts'
import type { DatabaseClock } from '../../db/upkeep/database-clock.ts'
import type { Caller, VerifyToken } from '../../http/admission/bearer.ts'
import { banned, invalidToken, malformedToken } from '../../http/wire/errors/refusals.ts'
import { batchLoader } from '../../kernel/async/batch-loader.ts'
import { hashToken } from '../../kernel/opaque-tokens.ts'

/** Maximum number of cached tokens, of about half a kilobyte each. */
const MAX_CACHED = 10_000
const HOUR_MS = 3_600_000

type KnownToken = {
  id: number
  caller: Caller
  expiresAt: number
  isBanned: boolean
  /** Hour in which this process last recorded a use. */
  usedInHour: number
}

/**
 * Verifies personal access tokens (decision 0052). Found tokens are cached by their hash, until any token is revoked
 * or any account is banned or deleted. Tokens with a wrong checksum cost no statement.
 */
export class PersonalTokenVerifier {
  readonly #db: Database
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #log: Logger
  readonly #find: (hash: string) => Promise<StoredPersonalToken | undefined>
  readonly #known = new LRUCache<string, KnownToken>({ max: MAX_CACHED })
  /** Incremented by `clear`, so that a look-up that began earlier is not cached. */
  #epoch = 0

  constructor(db: Database, clock: Pick<DatabaseClock, 'now'>, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#find = batchLoader(
      (hashes: string[]) => findPersonalTokens(db, hashes),
      ({ token_hash }) => token_hash,
    )
  }

  /** Whether a bearer token can only be a personal access token. */
  static accepts(token: string): boolean {
    return token.startsWith(PERSONAL_TOKEN_PREFIX)
  }

  verify: VerifyToken = (token) => {
    if (!isPersonalToken(token)) throw malformedToken()
    const hash = hashToken(token)
    const known = this.#known.get(hash)
    return known ? this.#admit(known) : this.#examine(hash).then((found) => this.#admit(found))
  }

  /** Evicts every token, after one was revoked or an account changed. */
  clear() {
    this.#epoch += 1
    this.#known.clear()
  }

  async #examine(hash: string): Promise<KnownToken> {
    const epoch = this.#epoch
    const found = await this.#find(hash)
    if (!found) throw invalidToken()
    const known = {
      id: found.id,
      caller: callerOfToken(found),
      expiresAt: found.expires_at?.getTime() ?? Infinity,
      isBanned: found.is_banned,
      usedInHour: 0,
    }
    if (epoch === this.#epoch) this.#known.set(hash, known)
    return known
  }

  #admit(known: KnownToken): Caller {
    const now = this.#clock.now()
    if (known.expiresAt <= now) throw invalidToken()
    if (known.isBanned) throw banned()
    this.#recordUse(known, Math.floor(now / HOUR_MS))
    return known.caller
  }

  /** Records the use in the background, once an hour in each process, and not again if that fails. */
  #recordUse(known: KnownToken, hour: number) {
    if (known.usedInHour === hour) return
    known.usedInHour = hour
    recordTokenUse(this.#db, known.id).catch((err: unknown) => {
      this.#log.warn({ err }, 'Could not record the use of a personal access token')
    })
  }
}

const callerOfToken = ({ account_id, scopes }: StoredPersonalToken): Caller => ({
  kind: 'user',
  clientId: personalClientId(account_id),
  accountId: String(account_id),
  scopes: withImplied(scopes),
  requestsPerMinute: undefined,
})
