import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogReader } from '../../catalog/cache/catalog-reader.ts'
import { isWorkKind, type EntryKind } from '../../catalog/kinds.ts'
import { findMerged } from '../../catalog/merged.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { localPath } from '../../ui/local-path.ts'
import type { GradedChoice, GradedPicture } from '../../ui/page/page-context.ts'
import { missingOrHidden } from '../adult-works/hidden-works.ts'
import { isBlurred, listsAdultWorks } from '../adult-works/visibility.ts'
import { entryPath } from '../components/entry-path.ts'

/** Query parameter with the names of the graded pictures that this page reveals. */
const REVEALED_PARAMETER = 'graded'
/** Name of the main picture. Screenshots are named by their number, starting at 1, and other covers by a letter before it. */
const HEAD_PICTURE = 'shown'
const PICTURE_NAME = new RegExp(`^(?:${HEAD_PICTURE}|c?[1-9]\\d?)$`)
/** Separates names; a comma would be percent-encoded as three characters. */
const NAME_SEPARATOR = '.'

export type FoundPage = {
  id: number
  data: unknown
  seesNsfw: boolean
  /** Whether the viewer may see only the title and the blurred cover, because it is an adult work. */
  isBlurred: boolean
}

/**
 * Finds the entry of a page by the rules of its API route. A merged entry redirects to the remaining one. An adult
 * entry is found only for viewers who allow adult content, or blurred if the operator lists adult works.
 *
 * @param rest path after the id
 * @returns undefined after a redirect
 * @throws {ApiError} `COMMON_NOT_FOUND` if the entry is missing or hidden from the viewer
 */
export async function findEntryPage(
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  {
    db,
    catalog,
    kind,
    rest = '',
  }: { db: Reads; catalog: CatalogReader; kind: EntryKind; rest?: string },
): Promise<FoundPage | undefined> {
  const id = parseId(request.params.id)
  const seesNsfw = request.page.viewer?.nsfw ?? false
  const found = await catalog.findDetail(kind, id)
  const listsAll = listsAdultWorks(request.page)
  if (found && (listsAll || !found.nsfw)) {
    if (seesNsfw) request.page.graded = gradedChoicesOf(request)
    return { id, data: found.data, seesNsfw, isBlurred: isBlurred(request.page, found) }
  }
  // A hidden entry takes the same path as a missing one.
  const into = (await findMerged(db, kind, [id], listsAll)).get(id)
  if (found || into === undefined)
    throw isWorkKind(kind) ? missingOrHidden(request.page) : notFound()
  // Cached briefly, because a merge can be undone.
  await reply
    .header('cache-control', 'private, max-age=300')
    .redirect(`${entryPath(kind, into)}${rest}`, 301)
  return undefined
}

function nameOf(picture: GradedPicture): string {
  if (picture === 'head') return HEAD_PICTURE
  return typeof picture === 'number' ? String(picture + 1) : picture.replace('cover ', 'c')
}

function gradedChoicesOf(request: FastifyRequest): (picture: GradedPicture) => GradedChoice {
  const requested = queryParameterOf(request, REVEALED_PARAMETER).split(NAME_SEPARATOR)
  const shown = new Set(requested.filter((name) => PICTURE_NAME.test(name)))
  const path = localPath(request.url, [REVEALED_PARAMETER])
  const pathWithNames = (names: string[]) =>
    names.length === 0
      ? path
      : `${path}${path.includes('?') ? '&' : '?'}${REVEALED_PARAMETER}=${names.join(NAME_SEPARATOR)}`
  return (picture) => {
    const name = nameOf(picture)
    const isShown = shown.has(name)
    const others = [...shown].filter((other) => other !== name)
    return { name, isShown, href: pathWithNames(isShown ? others : [...others, name]) }
  }
}
