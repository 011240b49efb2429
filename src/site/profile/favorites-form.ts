import type { FastifyRequest } from 'fastify'
import type { EntrySummary } from '../../browse/summary.ts'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import {
  findFavoriteWorks,
  listFavorites,
  MAX_FAVORITES,
  saveFavorites,
  suggestFavorites,
  type FavoriteKey,
} from '../../profiles/favorite-queries.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { entryPath } from '../components/entry-path.ts'
import { shownTitles } from '../components/titles.ts'

export const FAVORITES_PATH = '/library/profile/favorites'

const MAX_SUGGESTIONS = 100
const MAX_URL_LENGTH = 500
const PLACES = Array.from({ length: MAX_FAVORITES }, (_, index) => index + 1)

/** Content of the form: an address per place, and whether it names no work. */
export type FavoritesForm = { fields: { text: string; isInvalid: boolean }[] }

/** Loads the form: what was sent and rejected, or else the present favorites; and suggestions from the user's list. */
export async function loadFavoritesForm(
  db: Database,
  { page: { viewer } }: FastifyRequest,
  accountId: number,
  sent?: FavoritesForm,
) {
  const seesNsfw = viewer?.nsfw ?? false
  const [favorites, suggestions] = await Promise.all([
    listFavorites(db, accountId, true),
    suggestFavorites(db, accountId, seesNsfw, MAX_SUGGESTIONS),
  ])
  const stored = favorites.map((work) => ({ text: pathOf(work), isInvalid: false }))
  return { fields: sent?.fields ?? stored, favorites, suggestions }
}

const pathOf = ({ type, id }: EntrySummary) => entryPath(type, id)

/** Renders a field for each favorite. A field accepts the address of a work, and suggests the user's best-rated works. */
export function favoritesForm(
  context: PageContext,
  { fields, favorites, suggestions }: Awaited<ReturnType<typeof loadFavoritesForm>>,
): Html {
  const { messages, csrfField } = context
  const { profilePage: texts } = messages
  const titles = new Map(
    [...favorites, ...suggestions].map((work) => [pathOf(work), shownTitles(context, work)[0]]),
  )
  return html`<form method="post" action="${FAVORITES_PATH}" class="record-form divided">${csrfField()}
<fieldset><legend>${texts.favorites}</legend><p class="hint" id="favorites-hint">${texts.favoritesHint}</p>
${PLACES.map((place) => {
  const { text = '', isInvalid = false } = fields[place - 1] ?? {}
  const name = `favorite-${place}`
  const title = titles.get(text)
  return html`<div class="field"><label for="${name}">${texts.favorite({ place })}</label>
<input id="${name}" name="${name}" value="${text}" list="favorite-works" maxlength="${MAX_URL_LENGTH}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="favorites-hint${isInvalid && ` ${name}-error`}"${isInvalid && html` aria-invalid="true"`}>
${isInvalid && html`<p class="fault" id="${name}-error">${texts.noFavorite}</p>`}${
    title &&
    html`<p class="hint"${title.lang !== undefined && html` lang="${title.lang}"`}>${title.text}</p>`
  }</div>`
})}</fieldset>
<datalist id="favorite-works">${suggestions.map((work) => html`<option value="${pathOf(work)}">${shownTitles(context, work)[0].text}</option>`)}</datalist>
<div class="actions"><button>${texts.saveFavorites}</button></div></form>`
}

/**
 * Saves the favorites of a submitted form.
 *
 * @returns the form to show again if a field names no work that the user sees; undefined on success
 */
export async function saveFavoritesForm(
  db: Database,
  request: FastifyRequest,
  accountId: number,
): Promise<FavoritesForm | undefined> {
  const { viewer, origin } = request.page
  const texts = PLACES.map((place) => fieldOf(request, `favorite-${place}`).trim())
  const named = texts.map((text) => readAddress(text, origin))
  const ids = named.flatMap((work) => work?.id ?? [])
  const found = await findFavoriteWorks(db, accountId, ids, viewer?.nsfw ?? false)
  const isKnown = (work: FavoriteKey | undefined) =>
    found.some(({ kind, id }) => kind === work?.kind && id === work.id)
  const fields = texts.map((text, index) => ({
    text: text.slice(0, MAX_URL_LENGTH),
    isInvalid: text !== '' && !isKnown(named[index]),
  }))
  if (fields.some(({ isInvalid }) => isInvalid)) return { fields }
  await saveFavorites(db, accountId, [...new Set(ids)])
  return undefined
}

const ADDRESS = /^\/([a-z-]+)\/([1-9]\d{0,14})(?:\/|$)/

/** Reads the path or URL of a work on this site. */
function readAddress(text: string, origin: string): FavoriteKey | undefined {
  const url = text === '' ? null : URL.parse(text, origin)
  if (url?.origin !== origin) return undefined
  const [, segment, id] = ADDRESS.exec(url.pathname) ?? []
  const kind = WORK_KINDS.find((name) => KINDS[name].path === segment)
  return kind && { kind, id: Number(id) }
}
