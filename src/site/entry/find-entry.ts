import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogReader } from '../../catalog/cache/catalog-reader.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { findMerged } from '../../catalog/merged.ts'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { parameterOf } from '../../ui/forms/form-field.ts'
import { localAddress } from '../../ui/local-address.ts'
import type { GradedChoice, GradedPicture } from '../../ui/page/page-context.ts'
import { entryAddress } from '../components/entry-address.ts'

/** The parameter with which a reader asks for graded pictures, for this page alone: the names of those that are shown. */
const GRADED = 'graded'
/** Of the picture of the entry; a screenshot has the number that its title has. */
const HEAD = 'shown'
const NAME = new RegExp(`^(?:${HEAD}|[1-9]\\d?)$`)
/** Between names; a comma would be written as three letters. */
const BETWEEN = '.'

export type FoundPage = { id: number; data: unknown; seesNsfw: boolean }

/**
 * The entry that a page is about, by the rules of its route: one that was merged leads to the one that stays, and one that is
 * nsfw is there for readers who have asked for such alone.
 *
 * @param rest what comes behind the id in the address
 * @returns undefined when the answer was a redirect
 * @throws {ApiError} `COMMON_NOT_FOUND` when there is none for who asks
 */
export async function findEntryPage(
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  {
    db,
    catalog,
    kind,
    rest = '',
  }: { db: Database; catalog: CatalogReader; kind: EntryKind; rest?: string },
): Promise<FoundPage | undefined> {
  const id = parseId(request.params.id)
  const seesNsfw = request.page.reader?.nsfw ?? false
  const found = await catalog.findDetail(kind, id)
  if (found && (seesNsfw || !found.nsfw)) {
    if (seesNsfw) request.page.graded = gradedChoicesOf(request)
    return { id, data: found.data, seesNsfw }
  }
  if (found) throw notFound()
  const into = (await findMerged(db, kind, [id], seesNsfw)).get(id)
  if (into === undefined) throw notFound()
  // For a while: what was merged may be parted again.
  await reply
    .header('cache-control', 'private, max-age=300')
    .redirect(`${entryAddress(kind, into)}${rest}`, 301)
  return undefined
}

function gradedChoicesOf(request: FastifyRequest): (picture: GradedPicture) => GradedChoice {
  const asked = parameterOf(request, GRADED).split(BETWEEN)
  const shown = new Set(asked.filter((name) => NAME.test(name)))
  const address = localAddress(request.url, [GRADED])
  const addressWith = (names: string[]) =>
    names.length === 0
      ? address
      : `${address}${address.includes('?') ? '&' : '?'}${GRADED}=${names.join(BETWEEN)}`
  return (picture) => {
    const name = picture === 'head' ? HEAD : String(picture + 1)
    const isShown = shown.has(name)
    const others = [...shown].filter((other) => other !== name)
    return { name, isShown, href: addressWith(isShown ? others : [...others, name]) }
  }
}
