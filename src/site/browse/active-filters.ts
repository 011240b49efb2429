import { html, type Html } from '../../ui/html.ts'
import { tagName } from '../../browse/tags/tag-concepts.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { languageName, roleName } from '../entry/labels.ts'
import { platformName } from '../../catalog/platform-names.ts'
import { filterNameKey, NAMED_FILTERS, type FilterNames } from './filter-names.ts'
import { letterName } from './letters.ts'
import type { ListPageQuery } from './list-query.ts'

const FILTERS = [
  'year',
  'from',
  'to',
  'status',
  'platform',
  'language',
  'tag',
  'without',
  'min_score',
  'nsfw',
  'starts',
  'role',
  ...NAMED_FILTERS,
] as const
type FilterName = (typeof FILTERS)[number]

/** Renders the active filters, each as a link that removes it. */
export function activeFilters(
  context: PageContext,
  path: string,
  { parameters }: ListPageQuery,
  names: FilterNames,
): Html | undefined {
  const { browse: texts } = context.messages
  const active = FILTERS.flatMap((name) =>
    [...new Set(parameters.getAll(name))].map((value) => ({
      name,
      value,
      ...textOf(context, name, value, names),
    })),
  )
  if (active.length === 0) return undefined
  const without = (name: FilterName, value: string) => {
    const remaining = new URLSearchParams(parameters)
    remaining.delete(name, value)
    remaining.delete('page')
    return remaining.size > 0 ? `${path}?${remaining.toString()}` : path
  }
  return html`<ul class="chips active">${active.map(
    ({ name, value, text, lang }) =>
      html`<li><a href="${without(name, value)}" aria-label="${texts.remove({ filter: text })}"${name === 'without' && html` class="excluded"`}${lang !== undefined && html` lang="${lang}"`}>${text} <span aria-hidden="true">×</span></a></li>`,
  )}<li><a class="reset" href="${path}">${texts.reset}</a></li></ul>`
}

function textOf(
  context: PageContext,
  name: FilterName,
  value: string,
  names: FilterNames,
): { text: string; lang?: string | undefined } {
  const { messages, language } = context
  const { browse: texts, kinds } = messages
  switch (name) {
    case 'year':
      return { text: value }
    case 'from':
      return { text: texts.since({ year: value }) }
    case 'to':
      return { text: texts.until({ year: value }) }
    case 'role':
      return { text: roleName(messages, value) }
    case 'starts':
      return { text: letterName(context, value) }
    case 'tag':
      return { text: tagName(value, language) }
    case 'without':
      return { text: texts.except({ tag: tagName(value, language) }) }
    case 'status':
      return { text: new Map(Object.entries(texts.statuses)).get(value) ?? value }
    case 'platform':
      return { text: platformName(value) }
    case 'language':
      return { text: languageName(language, value) }
    case 'min_score':
      return { text: `${texts.minScore} ${value}` }
    case 'nsfw':
      return {
        text:
          value === 'true' ? texts.nsfwChoices.only : `${texts.nsfw}: ${texts.nsfwChoices.without}`,
      }
    case 'producer':
    case 'person':
    case 'character':
      return names.get(filterNameKey(name, value)) ?? { text: `${kinds[name]} ${value}` }
  }
}
