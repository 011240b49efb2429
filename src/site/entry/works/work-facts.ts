import { dayElement } from '../../../ui/format-time.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { Language } from '../../../i18n/languages.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { platformName } from '../../../catalog/platform-names.ts'
import { factValues, type Fact } from '../facts-view.ts'
import type { LightNovelData, MangaData, GalgameData, WorkData } from '../entry-data.ts'
import type { ShownWork } from './shown-work.ts'
import { countryName, languageName, formatMoney, labelFor } from '../labels.ts'

/** Returns the key facts of a work. */
export function workFacts(context: PageContext, work: WorkData, { madeBy }: ShownWork): Fact[] {
  if (work.kind === 'galgame') return galgameFacts(context, work.data, madeBy)
  return work.kind === 'manga' ? mangaFacts(context, work.data) : novelFacts(context, work.data)
}

const dayIn = (language: Language) => (time: string | null) => time && dayElement(language, time)

const link = (url: string | null) =>
  url !== null &&
  URL.canParse(url) &&
  /^https?:/.test(url) &&
  html`<a href="${url}" rel="external noopener">${new URL(url).hostname}</a>`

function galgameFacts(
  { messages, language }: PageContext,
  data: GalgameData,
  developer: string | null,
): Fact[] {
  const { entry: texts, browse } = messages
  const genres = genresOf(texts.genreNames, data.adv_type)
  const day = dayIn(language)
  return [
    [
      texts.date,
      day(data.release_date) ||
        (data.release_date_tbd && (data.release_date_tbd_note || texts.tbd)),
    ],
    [texts.status, data.dev_status && labelFor(browse.statuses, data.dev_status)],
    [texts.developer, developer],
    [
      texts.platforms,
      factValues(
        data.platforms.map((code) => ({
          text: Object.hasOwn(texts.platformNames, code)
            ? labelFor(texts.platformNames, code)
            : platformName(code),
          href: `/galgames?${new URLSearchParams({ platform: code }).toString()}`,
        })),
      ),
      data.platforms.length > 1,
    ],
    [
      texts.language,
      data.origin_lang &&
        factValues([
          {
            text: languageName(language, data.origin_lang),
            href: `/galgames?${new URLSearchParams({ language: data.origin_lang }).toString()}`,
          },
        ]),
    ],
    [texts.type, factValues(genres), genres.length > 1],
    [texts.engine, data.engine],
    [texts.homepage, link(data.homepage)],
  ]
}

/** Genres as sources word them, and the names of their messages. */
const GENRES: Record<string, keyof Messages['entry']['genreNames']> = {
  ADV: 'ADVENTURE',
  AVG: 'ADVENTURE',
  恋爱ADV: 'ROMANCE',
  恋爱AVG: 'ROMANCE',
  恋爱冒险: 'ROMANCE',
  文字冒险: 'TEXT_ADVENTURE',
  视觉小说: 'VISUAL_NOVEL',
  女装学园AVG: 'CROSS_DRESSING',
  RPG: 'RPG',
  SLG: 'SIMULATION',
  恋爱SLG: 'DATING_SIM',
  ACT: 'ACTION',
  STG: 'SHOOTER',
  PUZ: 'PUZZLE',
  养成: 'RAISING_SIM',
}

/** Separators between genres in the sources. */
const GENRE_SEPARATOR = /[、,，/]/

/** Returns the genres of a work. Unknown ones keep the wording of their source. */
function genresOf(names: Messages['entry']['genreNames'], genres: string | null) {
  const all = (genres ?? '')
    .split(GENRE_SEPARATOR)
    .map((genre) => genre.trim())
    .filter((genre) => genre !== '')
  const nameOf = (genre: string) => {
    const known = Object.hasOwn(GENRES, genre) ? GENRES[genre] : undefined
    return known === undefined ? genre : names[known]
  }
  return [...new Set(all.map(nameOf))].map((text) => ({ text }))
}

/** Renders the prices of a galgame's editions, collapsed. */
export function pricesView({ messages, language }: PageContext, work: WorkData): Html | false {
  const { entry: texts } = messages
  const prices =
    work.kind === 'galgame' ? work.data.prices.filter(({ amount }) => amount !== null) : []
  return (
    prices.length > 0 &&
    html`<details class="other-text prices"><summary>${texts.pricesOf({ amount: prices.length })}</summary><ul class="plain-list">${prices.map(
      ({ version, amount, currency, tax_included: taxed }) =>
        html`<li>${version && `${version}: `}${formatMoney(language, amount ?? 0, currency)}${taxed !== null && ` (${taxed ? texts.taxIncluded : texts.taxExcluded})`}</li>`,
    )}</ul></details>`
  )
}

function novelFacts({ messages, language }: PageContext, data: LightNovelData): Fact[] {
  const { entry: texts, browse } = messages
  const day = dayIn(language)
  return [
    [texts.published, day(data.publication_date)],
    [texts.status, labelFor(browse.statuses, data.novel_status)],
    [texts.volumesTotal, data.total_volumes > 0 && String(data.total_volumes)],
  ]
}

function mangaFacts({ messages, language }: PageContext, data: MangaData): Fact[] {
  const { entry: texts, browse } = messages
  const day = dayIn(language)
  return [
    [texts.published, day(data.publication_date)],
    [texts.ended, day(data.publication_end_date)],
    [texts.latest, day(data.latest_chapter_at)],
    [texts.status, labelFor(browse.statuses, data.serial_status)],
    [texts.audience, data.audience && labelFor(texts.audiences, data.audience)],
    [texts.direction, labelFor(texts.directions, data.reading_mode)],
    [texts.country, data.origin_country && countryName(language, data.origin_country)],
    [texts.pages, data.pages && String(data.pages)],
    [texts.isbn, data.isbn],
    [
      texts.price,
      data.price_amount !== null && formatMoney(language, data.price_amount, data.price_currency),
    ],
    [texts.homepage, link(data.homepage)],
  ]
}
