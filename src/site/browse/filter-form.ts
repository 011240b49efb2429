import { html, type Html } from '../../ui/html.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { SortName } from '../../browse/lists/sorts.ts'
import { NAMED_FILTERS } from './filter-names.ts'
import type { FacetOption, Facets } from './find-facets.ts'
import type { ListPageQuery } from './list-query.ts'

export type FilterFormOptions = {
  path: string
  listQuery: ListPageQuery
  facets: Facets
  sorts: readonly SortName[]
  /** Whether the entries have scores to filter by. */
  isOfWorks: boolean
}

const MIN_SCORES = ['5', '6', '7', '7.5', '8', '8.5', '9']

/** Renders a form for the filters and order of a list. Submitting it leads to a different URL of the same list. */
export function filterForm(
  context: PageContext,
  { path, listQuery, facets, sorts, isOfWorks }: FilterFormOptions,
): Html {
  const { browse: texts } = context.messages
  const { parameters, view, sort } = listQuery
  // A single year is a range, too.
  const [year, ...otherYears] = parameters.getAll('year')
  const chosen = (name: string) =>
    parameters.get(name) ??
    (['from', 'to'].includes(name) && otherYears.length === 0 ? year : undefined) ??
    ''
  const choice = (
    name: string,
    label: string,
    options: FacetOption[],
    any?: string,
  ) => html`<p class="choice">
<label for="by-${name}">${label}</label>
<select id="by-${name}" name="${name}">${any !== undefined && html`<option value="">${any}</option>`}${options.map(
    ({ value, text }) =>
      html`<option value="${value}"${chosen(name) === value && html` selected`}>${text}</option>`,
  )}</select></p>`
  const { year: years = [], ...choices } = facets.choices
  const selects = [
    ...(years.length > 0
      ? [
          choice('from', texts.yearFrom, years, texts.any),
          choice('to', texts.yearTo, years, texts.any),
        ]
      : []),
    ...Object.entries(choices).flatMap(([name, options]) =>
      // as: the keys of this type
      options.length > 0
        ? [choice(name, texts[name as keyof typeof choices], options, texts.any)]
        : [],
    ),
  ]
  const orders = sorts.map((name, index) => ({
    // The first order is the default, which the URL need not name.
    value: index === 0 ? '' : name,
    text: name === 'name' && !isOfWorks ? texts.columns.name : texts.orders[name],
    isChosen: name === sort,
  }))
  const kept = [
    ...NAMED_FILTERS,
    'tag',
    'without',
    ...(otherYears.length > 0 ? ['year'] : []),
  ].flatMap((name) => parameters.getAll(name).flatMap((value) => hiddenFields({ [name]: value })))
  const tagField = (name: 'tag' | 'without', label: string) =>
    html`<p class="choice"><label for="by-${name}">${label}</label>
<input id="by-${name}" name="${name}" list="tags" maxlength="200" autocomplete="off"></p>`
  const adults = [
    { value: 'true', text: texts.nsfwChoices.only },
    { value: 'false', text: texts.nsfwChoices.without },
  ]
  return html`<details class="filters panel"><summary>${texts.filters}</summary>
<form class="tiles" action="${path}" data-filters>
${kept}${view === 'table' && hiddenFields({ view })}
${selects}
${
  isOfWorks &&
  html`${tagField('tag', texts.tag)}
${tagField('without', texts.withoutTag)}
<datalist id="tags">${facets.tags.map((tag) => html`<option value="${tag}"></option>`)}</datalist>
${choice(
  'min_score',
  texts.minScore,
  MIN_SCORES.map((value) => ({ value, text: value })),
  texts.any,
)}
${context.viewer?.nsfw && choice('nsfw', texts.nsfw, adults, texts.nsfwChoices.all)}`
}
<p class="choice long"><label for="by-sort">${texts.order}</label>
<select id="by-sort" name="sort">${orders.map(({ value, text, isChosen }) => html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`)}</select></p>
<p class="choice send"><button>${texts.apply}</button></p>
</form></details>`
}
