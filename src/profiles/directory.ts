import type { Database } from '../db/database.ts'
import {
  findProfileCards,
  findProfilesByName,
  rankProfiles,
  type ProfileCard,
  type RankedProfile,
} from './directory-queries.ts'

export const PROFILE_ORDERS = ['active', 'works'] as const
export type ProfileOrder = (typeof PROFILE_ORDERS)[number]

const COMPARE: Record<ProfileOrder, (one: RankedProfile, other: RankedProfile) => number> = {
  active: (one, other) => (other.active_at?.getTime() ?? 0) - (one.active_at?.getTime() ?? 0),
  works: (one, other) => other.works - one.works,
}

/** Minimum lifetime of a ranking, in milliseconds. */
const MIN_LIFETIME_MS = 1_000

/** Lifetime of a ranking as a multiple of the time it took, so that rankings take at most 2 % of the time. */
const LIFETIME_FACTOR = 50

type Ranking = Record<ProfileOrder, RankedProfile[]>

export type DirectoryEntry = ProfileCard & Pick<RankedProfile, 'works'>

/**
 * Sorts the public profiles. No column holds the sorted values, because ratings are written without triggers, so each
 * process ranks the profiles now and then. What a profile shows is read for each request.
 */
export class ProfileDirectory {
  readonly #db: Database
  #ranking: { until: number; value: Promise<Ranking> } | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** Lists one page of public profiles, and the number of all. */
  async list(
    order: ProfileOrder,
    { name, page, pageSize }: { name: string; page: number; pageSize: number },
  ): Promise<{ profiles: DirectoryEntry[]; total: number }> {
    const [ranking, named] = await Promise.all([
      this.#rank(),
      name === '' ? undefined : findProfilesByName(this.#db, name),
    ])
    const ranked = ranking[order].filter(({ account_id: id }) => named?.has(id) ?? true)
    const found = ranked.slice((page - 1) * pageSize, page * pageSize)
    const cards = await findProfileCards(
      this.#db,
      found.map(({ account_id: id }) => id),
    )
    return {
      total: ranked.length,
      profiles: found.flatMap(({ account_id: id, works }) => {
        const card = cards.get(id)
        return card ? [{ ...card, works: card.shows_list ? works : 0 }] : []
      }),
    }
  }

  #rank(): Promise<Ranking> {
    const start = performance.now()
    if (this.#ranking && start < this.#ranking.until) return this.#ranking.value
    const value = rankProfiles(this.#db).then(
      (rows) => {
        const end = performance.now()
        ranking.until = end + Math.max(MIN_LIFETIME_MS, LIFETIME_FACTOR * (end - start))
        return { active: rows.toSorted(COMPARE.active), works: rows.toSorted(COMPARE.works) }
      },
      (error: unknown) => {
        if (this.#ranking === ranking) this.#ranking = undefined
        throw error
      },
    )
    const ranking = { until: Number.POSITIVE_INFINITY, value }
    this.#ranking = ranking
    return value
  }
}
