import type { ListedTag } from '../../browse/tags/schemas.ts'
import { TAG_GROUPS, type TagConcept } from '../../browse/tags/tag-concepts.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { pathWith } from '../components/path-with.ts'
import { formatNumber } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'

export type TagsData = {
  q: string
  /** Concepts that at least one work has. `works` is a lower bound unless `isExact`, because spellings may differ. */
  joined: { concept: TagConcept; works: number; isExact: boolean }[]
  /** Tags without a concept, shown by their names at the sources. */
  others: ListedTag[]
  page: number
  last: number
  /** Number of adult works, whose tags are not counted. */
  hidden: number
  /** Shown instead of an empty list if no search term was entered. */
  emptyNotice: Html | undefined
}

export const tagPath = (name: string) => `/tags/${encodeURIComponent(name)}`

export function tagsView(
  context: PageContext,
  { q, joined, others, page, last, hidden, emptyNotice }: TagsData,
): View {
  const { tagPages: texts, layout } = context.messages
  const chip = (tag: string, name: string, amount: number, isExact: boolean) =>
    html`<li><a href="${tagPath(tag)}">${name} <span class="amount" title="${isExact ? texts.works({ amount }) : texts.worksOrMore({ amount })}">${formatNumber(context.language, amount)}${!isExact && '+'}</span></a></li>`
  const parameters = new URLSearchParams(q === '' ? {} : { q })
  return {
    title: texts.title,
    head: {
      description: texts.lead,
      ...(q === ''
        ? {
            canonical: pathWith('/tags', new URLSearchParams(), {
              page: page === 1 ? null : String(page),
            }),
          }
        : { robots: 'noindex' }),
    },
    body: html`<div class="list-head cluster"><h1>${texts.title}</h1></div>
<p class="lead">${texts.lead}</p>
${hiddenWorksNotice(context, hidden)}
<form class="again" role="search" action="/tags" aria-label="${texts.find}">
<div class="row"><input type="search" name="q" value="${q}" aria-label="${texts.find}" placeholder="${texts.find}" maxlength="100">
<button class="secondary">${layout.search}</button></div></form>
${joined.length + others.length === 0 && (emptyNotice ?? html`<p class="empty">${texts.empty}</p>`)}
${TAG_GROUPS.map((group) => {
  const concepts = joined
    .filter(({ concept }) => concept.group === group)
    .toSorted((one, other) => other.works - one.works)
  return (
    concepts.length > 0 &&
    html`<h2>${texts.groups[group]}</h2><ul class="chips tags">${concepts.map(
      ({ concept: { names }, works, isExact }) =>
        chip(names.en, names[context.language], works, isExact),
    )}</ul>`
  )
})}
${
  others.length > 0 &&
  html`${joined.length > 0 && html`<h2>${texts.others}</h2>`}<ul class="chips tags">${others.map(({ name, works }) => chip(name, name, works, true))}</ul>`
}
${pager(context, { page, last, pathOf: (number) => pathWith('/tags', parameters, { page: number === 1 ? null : String(number) }) })}`,
  }
}
