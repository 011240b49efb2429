import type { Static } from 'typebox'
import type { EntrySummary } from '../../../browse/summary.ts'
import type { CatalogReader, ReadList } from '../../../catalog/cache/catalog-reader.ts'
import type { GALGAME_LISTS } from '../../../catalog/lists/galgame.ts'
import { WORK_LISTS } from '../../../catalog/lists/work-lists.ts'
import {
  listPublicCollectionsContaining,
  type ContainingPublicCollection,
} from '../../../collections/public-queries.ts'
import type { Database } from '../../../db/database.ts'
import type { Reads } from '../../../db/replicas/reads.ts'
import { findReview, findReviews } from '../../../ratings/reviews/queries.ts'
import type { ReviewOrder } from '../../../ratings/reviews/schemas.ts'
import { findRatingCounts } from '../../../ratings/statistics/queries.ts'
import { toStatistics } from '../../../ratings/statistics/statistics-response.ts'
import { findSimilar, listCommonTraits } from '../../../similar/queries.ts'
import type {
  CastEntry,
  Credit,
  EntityRef,
  Relation,
  Review,
  Volume,
  PagedWork,
} from '../entry-data.ts'
import type { Statistics } from '../reviews/score-view.ts'
import type { SimilarEntry } from './similar-reason.ts'

type RelatedEntry = Static<typeof GALGAME_LISTS.relations.schema>

/** Reads a work's related data, in the form of the corresponding API routes. */
export class WorkParts {
  readonly #db: Database
  readonly #reads: Reads
  readonly #catalog: CatalogReader
  readonly #work: PagedWork
  readonly #seesNsfw: boolean

  constructor(
    { db, reads }: { db: Database; reads: Reads },
    catalog: CatalogReader,
    { kind, id, seesNsfw }: PagedWork & { seesNsfw: boolean },
  ) {
    this.#db = db
    this.#reads = reads
    this.#catalog = catalog
    this.#work = { kind, id }
    this.#seesNsfw = seesNsfw
  }

  async cast(limit: number | null): Promise<{ total: number; cast: CastEntry[] }> {
    const { total, items } = await this.#list('characters', limit)
    // as: the item type of this list
    return { total, cast: items as CastEntry[] }
  }

  async staff(limit: number | null): Promise<{ total: number; credits: Credit[] }> {
    const { total, items } = await this.#list(
      this.#work.kind === 'galgame' ? 'staff' : 'people',
      limit,
    )
    return { total, credits: items.map((item) => toCredit('person', item)) }
  }

  async producers(): Promise<Credit[]> {
    const { items } = await this.#list('producers', null)
    return items.map((item) => toCredit('producer', item))
  }

  async volumes(): Promise<Volume[]> {
    const { items } = await this.#list('volumes', null)
    // as: the item type of this list
    return items as Volume[]
  }

  async relations(): Promise<Relation[]> {
    const { items } = await this.#list('relations', null)
    // as: the item type of this list
    return (items as RelatedEntry[]).map(({ detail, galgame }) => ({
      detail,
      entry: toSummary(galgame),
    }))
  }

  async statistics(): Promise<Statistics> {
    const found = await findRatingCounts(this.#reads, this.#work.kind, this.#work.id)
    return toStatistics(this.#work.kind, found ?? { counts: [], kind_scores: { total: 0, sum: 0 } })
  }

  async reviews(
    order: ReviewOrder,
    page: { page: number; pageSize: number },
  ): Promise<{ total: number; reviews: Review[] }> {
    const { kind, id } = this.#work
    const found = await findReviews(this.#db, kind, id, { order, spoilers: true, page })
    // as: the item type of this list
    return { total: found?.total ?? 0, reviews: (found?.items ?? []) as Review[] }
  }

  async review(id: number): Promise<Review | undefined> {
    // as: the item type of this list
    return (await findReview(this.#db, this.#work.kind, this.#work.id, id)) as Review | undefined
  }

  async similar(): Promise<SimilarEntry[]> {
    const found = await findSimilar(this.#reads, this.#work, [this.#work.kind], this.#seesNsfw)
    // as: the shape the statement selects
    const { items } = JSON.parse(found?.data ?? '{"items":[]}') as {
      items: Pick<SimilarEntry, 'reason' | 'work'>[]
    }
    if (items.length === 0) return []
    const traits = await listCommonTraits(this.#reads, this.#work.id, items)
    const byId = new Map(traits.map((common) => [common.id, common]))
    return items.map((item) => ({ ...item, traits: byId.get(item.work.id) }))
  }

  collections(limit: number): Promise<ContainingPublicCollection[]> {
    return listPublicCollectionsContaining(this.#db, this.#work.id, {
      seesNsfw: this.#seesNsfw,
      limit,
    })
  }

  /** Reads a list of the work; returns an empty one for kinds of works that do not have it. */
  async #list(name: string, limit: number | null): Promise<ReadList> {
    const list = WORK_LISTS[this.#work.kind][name]?.list
    if (!list) return { total: 0, items: [] }
    return this.#catalog.findList(this.#work, name, { list, seesNsfw: this.#seesNsfw, limit })
  }
}

function toCredit(kind: Credit['kind'], item: unknown): Credit {
  // as: the item type of the lists of people and producers
  const credit = item as {
    role?: string | null
    relation?: string
    note?: string | null
    person?: EntityRef
    producer?: EntityRef
  }
  const target = credit.person ?? credit.producer
  if (!target) throw new Error(`A credit names no ${kind}`)
  return { kind, role: credit.role ?? credit.relation ?? '', note: credit.note ?? '', target }
}

function toSummary({
  id,
  origin_title: original,
  trans_title: translated,
  nsfw,
  release_date,
  covers,
  en_title,
  romaji_title,
  ko_title,
}: RelatedEntry['galgame']): EntrySummary {
  const [cover] = covers
  return {
    type: 'galgame',
    id,
    title: translated || original,
    original_title: original,
    en_title,
    romaji_title,
    ko_title,
    developer: null,
    developer_trans_name: null,
    developer_romaji_name: null,
    cover: cover ? { ...cover, votes: 0 } : null,
    release_date,
    status: null,
    nsfw,
    score: null,
    weighted_score: null,
    score_votes: 0,
    readers: 0,
    changed_at: '',
  }
}
