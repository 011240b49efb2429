import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countAdultWorks, findEntries } from '../../browse/lists/list-page.ts'
import { findFacetGroups } from '../../browse/lists/queries.ts'
import { listQueryParser } from '../../browse/lists/parse-list-query.ts'
import { findUsedTags, listTags } from '../../browse/tags/queries.ts'
import {
  conceptOf,
  conceptsNamed,
  synonymsOf,
  tagName,
  withSynonyms,
} from '../../browse/tags/tag-concepts.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { mayBeHiddenNotice, missingOrHidden } from '../adult-works/hidden-works.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { findFilterNames } from '../browse/filter-names.ts'
import { listParameters, readListPageQuery } from '../browse/list-query.ts'
import { listView } from '../browse/list-view.ts'
import { loadMarks } from '../library/rating/load-marks.ts'
import { emptyListNotice } from '../components/empty-list-notice.ts'
import { nameOrderOf } from '../components/titles.ts'
import { LISTED_PAGE, PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { sendWorksFeed, WORKS_FEED } from '../works-feed.ts'
import { tagPath, tagsView } from './tags-view.ts'
import { contentTags } from './telling-tags.ts'
import { MAX_NAME_PART } from '../../browse/tags/routes.ts'
import { startOf } from '../../kernel/printable.ts'

const PAGE_SIZE = 100
const FEED_LENGTH = 50

type OfTag = { Params: { name: string } }

/** Serves `/tags`, and a page for each tag with its works of all kinds. */
export async function tagPageRoutes(app: FastifyInstance, { db, reads }: PageRouteOptions) {
  app.get('/tags', LISTED_PAGE, async (request, reply) => {
    const q = startOf(queryParameterOf(request, 'q'), MAX_NAME_PART)
    const page = readPageNumber(request)
    const seesNsfw = listsAdultWorks(request.page)
    const window = { q, offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE, seesNsfw }
    const [{ tags, total }, hidden] = await Promise.all([
      listTags(reads, window),
      seesNsfw ? 0 : countAdultWorks(reads),
    ])
    const concepts = page === 1 ? conceptsNamed(q) : []
    const [used, content] = await Promise.all([
      findUsedTags(
        reads,
        concepts.flatMap(({ names }) => synonymsOf(names.en)),
        seesNsfw,
      ),
      contentTags(reads, tags),
    ])
    const joined = concepts.flatMap((concept) => {
      const amounts = synonymsOf(concept.names.en).flatMap((tag) => used.get(tag) ?? [])
      // A work may have several of the spellings, so their numbers are not added up.
      const works = Math.max(...amounts)
      return amounts.length > 0 ? [{ concept, works, isExact: amounts.length === 1 }] : []
    })
    const others = content.filter(({ name }) => !conceptOf(name))
    const last = Math.ceil(total / PAGE_SIZE)
    const emptyNotice =
      total === 0 && q === '' ? await emptyListNotice(reads, request.page.messages) : undefined
    return sendCatalogPage(
      request,
      reply,
      tagsView(request.page, { q, joined, others, page, last, hidden, emptyNotice }),
    )
  })

  const parser = listQueryParser(undefined)

  /** Finds the works with the tag in the path, and returns the heading of their page. */
  async function findWorks(
    { params: { name }, page: context }: FastifyRequest<OfTag>,
    parameters: ReturnType<typeof listParameters>,
  ) {
    const seesNsfw = listsAdultWorks(context)
    const query = parser.parse(parameters, { seesNsfw, nameOrder: nameOrderOf(context) })
    const spellings = name.includes('\0') ? [] : synonymsOf(name)
    if ((await findUsedTags(reads, spellings, seesNsfw)).size === 0) throw missingOrHidden(context)
    const groups = await findFacetGroups(
      reads,
      WORK_KINDS,
      withSynonyms([{ name: 'tag', values: [name] }]),
    )
    const found = await findEntries(reads, { kinds: WORK_KINDS, groups, query })
    const heading = context.messages.tagPages.worksOf({ tag: tagName(name, context.language) })
    return { path: tagPath(name), heading, found }
  }

  app.get<OfTag>('/tags/:name', PAGE, async (request, reply) => {
    const context = request.page
    const listQuery = readListPageQuery(undefined, request.query)
    const works = await findWorks(request, listParameters(listQuery))
    const names = await findFilterNames(reads, context, listQuery)
    await loadMarks(db, request, works.found.entries)
    const list = {
      ...works,
      feed: works.path + WORKS_FEED,
      listQuery,
      names,
      // A count would tell which tags hidden works have.
      hiddenNotice: !listsAdultWorks(context) && mayBeHiddenNotice(context),
      isOfWorks: true,
      isMixed: true,
    }
    return sendCatalogPage(request, reply, listView(context, list))
  })

  // Needs no further index. A new work comes first unless its source states an older time.
  const LAST_CHANGED = { sort: 'changed', page_size: String(FEED_LENGTH) }
  app.get<OfTag>(`/tags/:name${WORKS_FEED}`, PAGE, async (request, reply) => {
    const { path, heading, found } = await findWorks(request, LAST_CHANGED)
    return sendWorksFeed(request, reply, {
      title: heading,
      path: path + WORKS_FEED,
      page: path,
      works: found.entries.map((work) => ({ work, updated: new Date(work.changed_at) })),
    })
  })
}
