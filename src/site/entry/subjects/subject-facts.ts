import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { SubjectData } from '../entry-data.ts'
import { countryName, dayOf, labelFor } from '../labels.ts'
import type { Fact } from '../facts-view.ts'

/** Returns the short facts of a person, producer or character. */
export function subjectFacts({ messages, language }: PageContext, data: SubjectData): Fact[] {
  const { entry: words } = messages
  const sizes = [data.bust, data.waist, data.hips]
  const finerType = data.labels.find(isFinerType)?.value
  const type = finerType ?? data.type
  const own: Fact[] = [
    [words.producerType, type && labelFor(words.producerTypes, type)],
    [words.country, data.country && countryName(language, data.country)],
    [
      words.established,
      data.established &&
        html`<time datetime="${dayOf(data.established)}">${dayOf(data.established)}</time>`,
    ],
    [
      words.homepage,
      data.website &&
        URL.canParse(data.website) &&
        /^https?:/.test(data.website) &&
        html`<a href="${data.website}" rel="external noopener">${new URL(data.website).hostname}</a>`,
    ],
    [words.gender, data.gender && labelFor(words.genders, data.gender)],
    [words.age, data.age],
    [words.born, birthday(language, data)],
    [words.blood, data.blood_type],
    [words.height, data.height && words.cm({ amount: String(data.height) })],
    [words.weight, data.weight && words.kg({ amount: String(data.weight) })],
    [words.measures, sizes.every(Boolean) && sizes.join(' / ')],
    [words.cup, data.cup],
  ]
  // Labels of the source are shown unless a fact already covers them.
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
