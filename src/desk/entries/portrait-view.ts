import type { EntryKind } from '../../catalog/kinds.ts'
import { pageUrlOf } from '../../sources/external-ids.ts'
import { SOURCES } from '../../sources/registry.ts'
import { formatDay } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { SHAPE_OF } from '../../site/components/card.ts'
import { entryPath } from '../../site/components/entry-path.ts'
import { shownNames, shownTitles } from '../../site/components/titles.ts'
import { langOf } from '../../site/entry/facts-view.ts'
import { labelFor } from '../../site/entry/labels.ts'
import { picture } from '../../site/pictures/picture.ts'
import type { Portrait } from './portrait-queries.ts'

/** A record in front of the facts of its entry. */
export type PortraitRecord = { source: string; external_id: string; name: string | null }

export type PortraitSide = {
  portrait: Portrait | undefined
  /** Record to decide on. If omitted, no record of the entry is emphasized. */
  record?: PortraitRecord
  /** Heading above the entry. */
  label?: string
}

/** Renders two entries next to each other, with the facts by which a person recognizes them. */
export const portraitPair = (context: PageContext, kind: EntryKind, sides: PortraitSide[]): Html =>
  html`<div class="compare">${sides.map((side) => portraitView(context, kind, side))}</div>`

function portraitView(
  context: PageContext,
  kind: EntryKind,
  { portrait, record, label }: PortraitSide,
): Html {
  const { messages } = context
  const heading = label !== undefined && html`<p class="quiet">${label}</p>`
  if (!portrait)
    return html`<section>${heading}<h2>${record?.name ?? '?'}</h2><p>${record && recordLink(kind, record)}</p><p class="quiet">${messages.desk.matches.notLoaded}</p></section>`
  const { entry, id, records, other_names: names, works, gender, birthday } = portrait
  const { entry: texts } = messages
  const [main, other] = shownTitles(context, entry)
  const facts: (readonly [name: string, value: Html | string | undefined])[] = [
    [texts.aliases, [...(other ? [other.text] : []), ...names].join(' · ')],
    [
      dateLabel(texts, kind),
      entry.release_date === null
        ? ''
        : formatDay({ language: context.language, timeZone: 'UTC' }, new Date(entry.release_date)),
    ],
    [texts.developer, entry.developer ?? ''],
    [texts.gender, gender === null ? '' : labelFor(texts.genders, gender)],
    [texts.born, birthday ?? ''],
    [
      texts.works,
      works.length > 0
        ? html`${works.map(({ type, work }, index) => {
            const [title] = shownNames(context, work)
            return html`${index > 0 && html`<br>`}<a href="${entryPath(type, work.id)}"${langOf(title.lang)}>${title.text}</a>`
          })}`
        : '',
    ],
    [
      messages.desk.columns.source,
      html`${records.map((item, index) => html`${index > 0 && html`<br>`}${recordLink(kind, item, record)}`)}`,
    ],
    [
      texts.score,
      [
        entry.score !== null && `★ ${entry.score.toFixed(1)}`,
        entry.readers > 0 && texts.scoreOf({ amount: entry.readers }),
      ]
        .filter(Boolean)
        .join(' · '),
    ],
  ]
  return html`<section>${heading}${picture(context, {
    media: entry.cover,
    kind,
    id,
    title: main.text,
    lang: main.lang,
    shape: SHAPE_OF[kind],
    sizes: '6rem',
    graded: 'guest',
    decorative: true,
  })}<h2><a href="${entryPath(kind, id)}"${main.lang !== undefined && html` lang="${main.lang}"`}>${main.text}</a></h2>
<dl>${facts.map(([name, value]) => value !== '' && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`
}

function dateLabel(texts: Messages['entry'], kind: EntryKind): string {
  if (kind === 'producer') return texts.established
  return kind === 'galgame' ? texts.date : texts.published
}

/** Renders a link to a record at its source, in bold if it is the one to decide on. */
function recordLink(
  kind: EntryKind,
  { source, external_id: id }: Pick<PortraitRecord, 'source' | 'external_id'>,
  chosen?: PortraitRecord,
): Html {
  const name = Object.keys(SOURCES).find((known) => known === source) as // as: a key of this table
    keyof typeof SOURCES | undefined
  const text = `${name ? SOURCES[name].label : source} ${id}`
  const shown =
    chosen && chosen.source === source && chosen.external_id === id
      ? html`<strong>${text}</strong>`
      : text
  return name
    ? html`<a href="${pageUrlOf(name, kind, id)}" rel="noreferrer">${shown}</a>`
    : html`${shown}`
}
