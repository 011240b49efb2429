import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { SubjectData } from '../entry-data.ts'
import { countryName, dayOf, labelFor } from '../labels.ts'
import type { Fact } from '../facts-view.ts'

/** Returns the key facts about a person, producer or character. */
export function subjectFacts({ messages, language }: PageContext, data: SubjectData): Fact[] {
  const { entry: texts } = messages
  const sizes = [data.bust, data.waist, data.hips]
  const finerType = data.labels.find(isFinerType)?.value
  const type = finerType ?? data.type
  const own: Fact[] = [
    [texts.producerType, type && labelFor(texts.producerTypes, type)],
    [texts.country, data.country && countryName(language, data.country)],
    [
      texts.established,
      data.established &&
        html`<time datetime="${dayOf(data.established)}">${dayOf(data.established)}</time>`,
    ],
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
  // Labels from the source are shown unless a fact already covers them.
  const others = data.labels.filter((label) => !isFinerType(label))
  return [...own, ...others.map(({ key, value }): Fact => [key, labelValue(value)])]
}

/** The API calls publishers and labels companies; pages show the specific term. */
const isFinerType = ({ key, value }: { key: string; value: string }) =>
  key === 'type' && (value === 'PUBLISHER' || value === 'LABEL')

const labelValue = (value: string) =>
  URL.canParse(value) && /^https?:/.test(value)
    ? html`<a href="${value}" rel="external noopener">${new URL(value).hostname}</a>`
    : value

function birthday(language: string, { birthday_month: month, birthday_day: day }: SubjectData) {
  if (!month) return undefined
  const options = day ? ({ month: 'long', day: 'numeric' } as const) : ({ month: 'long' } as const)
  return new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(
    Date.UTC(2000, month - 1, day ?? 1),
  )
}
