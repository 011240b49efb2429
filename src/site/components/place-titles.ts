import { listSummaries } from '../../browse/summary-queries.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { parseEntryPath } from '../../moderation/subject-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { findPublishedNames } from '../../profiles/queries.ts'
import { shownTitles, type ShownTitle } from './titles.ts'

/** What is at the places of reports, by these, as far as whoever looks may see it. */
export type PlaceTitles = ReadonlyMap<string, ShownTitle>

const DESK = '/desk/'

/** The entry whose page, or a page below it, a place is. */
function entryAt(place: string): { type: EntryKind; id: number } | undefined {
  const [, path = ''] = /^\/([a-z-]+\/\d+)(?=[/#]|$)/.exec(place) ?? []
  return parseEntryPath(path)
}

const profileAt = (place: string): string | undefined => /^\/u\/([^/#]+)$/.exec(place)?.[1]

/**
 * Titles of works and names of other entries in the language of whoever looks, names of readers who show a profile.
 *
 * @returns without those that are not there, and works for adults where whoever looks has not asked for such
 */
export async function findPlaceTitles(
  db: Database,
  { language, reader }: PageContext,
  places: readonly string[],
): Promise<PlaceTitles> {
  const entries = new Map(
    places.flatMap((place) => entryAt(place) ?? []).map((key) => [keyOf(key), key]),
  )
  const seesNsfw = reader?.nsfw ?? false
  const [summaries, names] = await Promise.all([
    listSummaries(
      db,
      [...entries.values()].map(({ type, id }) => ({ kind: type, id })),
      seesNsfw,
    ),
    findPublishedNames(db, [...new Set(places.flatMap((place) => profileAt(place) ?? []))]),
  ])
  const titles = new Map(
    summaries
      .filter(({ nsfw }) => seesNsfw || !nsfw)
      .map((summary) => [keyOf(summary), shownTitles(language, summary)[0]]),
  )
  return new Map(
    places.flatMap((place) => {
      const entry = entryAt(place)
      const name = names.get(profileAt(place) ?? '')
      const title = entry ? titles.get(keyOf(entry)) : name && { text: name, lang: undefined }
      return title ? [[place, title] as const] : []
    }),
  )
}

const keyOf = ({ type, id }: { type: EntryKind; id: number }) => `${type} ${id}`

/** A place by what is there; else by the kind and id of the entry. The desk is linked for those alone who have a role. */
export function placeLink(
  { messages, reader }: PageContext,
  place: string,
  titles: PlaceTitles,
): Html {
  const title = titles.get(place)
  const entry = entryAt(place)
  const other = entry ? `${messages.kinds[entry.type]} ${entry.id}` : (profileAt(place) ?? place)
  const text = html`<bdi${title?.lang !== undefined && html` lang="${title.lang}"`}>${title?.text ?? other}</bdi>`
  if (!place.startsWith(DESK)) return html`<a href="${place}">${text}</a>`
  // The picture of an account that shows no profile.
  if (reader && place === `${DESK}accounts/${reader.accountId}`)
    return html`<a href="/account/profile"><bdi>${reader.name}</bdi></a>`
  const somebody = messages.desk.nobodysPage
  return reader?.role === 'ADMIN' ? html`<a href="${place}">${somebody}</a>` : html`${somebody}`
}
