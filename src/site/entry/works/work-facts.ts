import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { platformName } from '../../../catalog/platform-names.ts'
import type { Fact } from '../facts-view.ts'
import type { LightNovelData, MangaData, GalgameData, WorkData } from '../entry-data.ts'
import { countryName, dayOf, languageName, formatMoney, labelFor } from '../labels.ts'

/** Returns the key facts of a work. */
export function workFacts(context: PageContext, work: WorkData): Fact[] {
  if (work.kind === 'galgame') return galgameFacts(context, work.data)
  return work.kind === 'manga' ? mangaFacts(context, work.data) : novelFacts(context, work.data)
}

const day = (time: string | null) =>
  time && html`<time datetime="${dayOf(time)}">${dayOf(time)}</time>`

const link = (url: string | null) =>
  url !== null &&
  URL.canParse(url) &&
  /^https?:/.test(url) &&
  html`<a href="${url}" rel="external noopener">${new URL(url).hostname}</a>`

function galgameFacts({ messages, language }: PageContext, data: GalgameData): Fact[] {
  const { entry: texts, browse } = messages
  return [
    [
      texts.date,
      day(data.release_date) ||
        (data.release_date_tbd && (data.release_date_tbd_note || texts.tbd)),
    ],
    [texts.status, data.dev_status && labelFor(browse.statuses, data.dev_status)],
    [texts.developer, data.developer],
    [texts.platforms, data.platforms.map(platformName).join(', ')],
    [texts.language, data.origin_lang && languageName(language, data.origin_lang)],
    [texts.type, data.adv_type],
    [texts.engine, data.engine],
    [texts.homepage, link(data.homepage)],
    [
      texts.prices,
      data.prices.length > 0 &&
        data.prices
          .filter(({ amount }) => amount !== null)
          .map(
            ({ version, amount, currency, tax_included: taxed }) =>
              html`<span class="line">${version && `${version}: `}${formatMoney(language, amount ?? 0, currency)}${taxed !== null && ` (${taxed ? texts.taxIncluded : texts.taxExcluded})`}</span>`,
          ),
    ],
  ]
}

function novelFacts({ messages }: PageContext, data: LightNovelData): Fact[] {
  const { entry: texts, browse } = messages
  return [
    [texts.published, day(data.publication_date)],
    [texts.status, labelFor(browse.statuses, data.novel_status)],
    [texts.volumesTotal, data.total_volumes > 0 && String(data.total_volumes)],
  ]
}

function mangaFacts({ messages, language }: PageContext, data: MangaData): Fact[] {
  const { entry: texts, browse } = messages
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
