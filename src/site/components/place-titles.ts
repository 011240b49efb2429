import { listSummaries } from '../../browse/summary-queries.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { parseEntryPath } from '../../moderation/subject-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { findPublishedNames } from '../../profiles/queries.ts'
import { shownTitles, type ShownTitle } from './titles.ts'

/** Titles of the reported content that the viewer may see, keyed by path. */
export type PlaceTitles = ReadonlyMap<string, ShownTitle>

const DESK = '/desk/'

/** Parses the entry of a path, which may be a page below the entry's own. */
function entryAt(place: string): { type: EntryKind; id: number } | undefined {
  const [, path = ''] = /^\/([a-z-]+\/\d+)(?=[/#]|$)/.exec(place) ?? []
  return parseEntryPath(path)
}

const profileAt = (place: string): string | undefined => /^\/u\/([^/#]+)$/.exec(place)?.[1]

/**
 * Finds the titles or names of entries in the viewer's language, and the names of published profiles.
 *
 * @returns titles keyed by path, without missing ones and without adult works that the viewer does not allow
 */
export async function findPlaceTitles(
  db: Database,
  context: PageContext,
  places: readonly string[],
): Promise<PlaceTitles> {
  const entries = new Map(
    places.flatMap((place) => entryAt(place) ?? []).map((key) => [keyOf(key), key]),
  )
  const seesNsfw = context.viewer?.nsfw ?? false
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
      .map((summary) => [keyOf(summary), shownTitles(context, summary)[0]]),
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

/**
 * Renders a link to reported content, named by its title or by its kind and id. Only administrators
 * get links to the desk.
 *
 * @param isHidden whether the content may be hidden; a hidden review has no page
 */
export function placeLink(
  { messages, viewer }: PageContext,
  place: string,
  titles: PlaceTitles,
  { isHidden = false } = {},
): Html {
  const title = titles.get(place)
  const entry = entryAt(place)
  const other = entry ? `${messages.kinds[entry.type]} ${entry.id}` : (profileAt(place) ?? place)
  const text = html`<bdi${title?.lang !== undefined && html` lang="${title.lang}"`}>${title?.text ?? other}</bdi>`
  const path = isHidden ? place.replace(/\/reviews\/\d+$/, '/reviews') : place
  if (!place.startsWith(DESK)) return html`<a href="${path}">${text}</a>`
  // The picture of the viewer's own account, whose profile is not published.
  if (viewer && place === `${DESK}accounts/${viewer.accountId}`)
    return html`<a href="/account/profile"><bdi>${viewer.name}</bdi></a>`
  const ownerText = messages.desk.privatePage
  return viewer?.role === 'ADMIN' ? html`<a href="${place}">${ownerText}</a>` : html`${ownerText}`
}
