import { linkToUrl } from '../../../sources/records/web-sites.ts'
import { dayElement } from '../../../ui/format-time.ts'
import { html, type Part } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { SubjectData } from '../entry-data.ts'
import { countryName, labelFor } from '../labels.ts'
import { factChips, type Fact } from '../facts-view.ts'

/** Returns the key facts about a person, producer or character. */
export function subjectFacts({ messages, language }: PageContext, data: SubjectData): Fact[] {
  const { entry: texts } = messages
  const sizes = [data.bust, data.waist, data.hips]
  const finerType = data.labels.find(isFinerType)?.value
  const type = finerType ?? data.type
  const own: Fact[] = [
    [texts.producerType, type && labelFor(texts.producerTypes, type)],
    [texts.country, data.country && countryName(language, data.country)],
    [texts.established, data.established && dayElement(language, data.established)],
    [
      texts.homepage,
      data.website &&
        URL.canParse(data.website) &&
        /^https?:/.test(data.website) &&
        html`<a href="${data.website}" rel="external noopener">${new URL(data.website).hostname}</a>`,
    ],
    [texts.gender, data.gender && labelFor(texts.genders, data.gender)],
    [texts.age, data.age],
    [texts.born, birthday(language, data)],
    [texts.blood, data.blood_type],
    [texts.height, data.height && texts.cm({ amount: String(data.height) })],
    [texts.weight, data.weight && texts.kg({ amount: String(data.weight) })],
    [texts.measures, sizes.every(Boolean) && sizes.join(' / ')],
    [texts.cup, data.cup],
  ]
  // Labels from the source are shown unless a fact, a link or a list already covers them.
  const others = data.labels.filter(
    (label) => !isFinerType(label) && !isAddress(label) && !VOICE_KEYS.has(label.key),
  )
  const byName = Map.groupBy(others, ({ key }) => labelFor(texts.labels, key))
  return [
    ...own,
    ...[...byName].map(([name, all]): Fact => [name, labelValues(all), all.length > 1]),
  ]
}

/** Keys of the sources for voice actors, whom the page lists with the character's works. */
const VOICE_KEYS = new Set(['声优', 'CV', '配音'])

type SourceLabel = SubjectData['labels'][number]

const isAddress = ({ value }: SourceLabel) => URL.canParse(value) && /^https?:/.test(value)

/** Returns an entry's links at other sites, including those that sources state as labels. */
export function subjectLinks(data: SubjectData) {
  const stated = data.labels
    .filter(isAddress)
    .map(({ value }) => linkToUrl(value) ?? { label: new URL(value).hostname, url: value })
  const links: { label: string; name?: string; url: string }[] = [
    ...(data.external_links ?? []).filter(
      (link) => /^https?:/.test(link.url) && link.url !== data.website,
    ),
    ...stated,
  ]
  return links.filter(({ url }, index) => links.findIndex((other) => other.url === url) === index)
}

/** Renders the values of labels with the same name. Short values are chips. */
const labelValues = (labels: SourceLabel[]): Part =>
  labels.length === 1 ? labels[0]?.value : factChips(labels.map(({ value }) => ({ text: value })))

/** The API calls publishers and labels companies; pages show the specific term. */
const isFinerType = ({ key, value }: SourceLabel) =>
  key === 'type' && (value === 'PUBLISHER' || value === 'LABEL')

function birthday(language: string, { birthday_month: month, birthday_day: day }: SubjectData) {
  if (!month) return undefined
  const options = day ? ({ month: 'long', day: 'numeric' } as const) : ({ month: 'long' } as const)
  return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(
    Date.UTC(2000, month - 1, day ?? 1),
  )
}
