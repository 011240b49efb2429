import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { chips } from '../components/chips.ts'
import { pathWith } from '../components/path-with.ts'

export type ListFrame<Order extends string> = {
  path: string
  title: string
  lead: string
  /** Labels of the orders, the default first. */
  orders: Readonly<Record<Order, string>>
  order: Order
  /** Search term; undefined if the list has no search. */
  q?: string
  isFirst: boolean
  /** Whether search engines may index the first page. */
  isIndexable: boolean
  /** Text for an empty list; undefined if it has items. */
  empty: string | undefined
  /** Link from an empty list to where users add to it. */
  next: { href: string; text: string }
  body: Part
}

/** Returns the query parameters of a list, without its position. */
export const listFrameParameters = (order: string, first: string | undefined, q = '') =>
  new URLSearchParams({ ...(q !== '' && { q }), ...(order !== first && { sort: order }) })

/** Renders a public list of users' content: its orders, its search, and one page of items. */
export function listFrameView<Order extends string>(
  { messages }: PageContext,
  {
    path,
    title,
    lead,
    orders,
    order,
    q,
    isFirst,
    isIndexable,
    empty,
    next,
    body,
  }: ListFrame<Order>,
): View {
  const { community: texts, layout } = messages
  const [first] = Object.keys(orders)
  const parameters = listFrameParameters(order, first, q)
  const label = texts.find
  // as: the keys of `orders`
  const links = (Object.entries(orders) as [Order, string][]).map(([name, text]) => ({
    href: pathWith(path, parameters, { sort: name === first ? null : name }),
    text,
    isCurrent: name === order,
  }))
  return {
    title,
    styles: ['collections.css'],
    head: {
      description: lead,
      ...(isIndexable && isFirst && (q ?? '') === ''
        ? { canonical: pathWith(path, parameters, {}) }
        : { robots: 'noindex' as const }),
    },
    body: html`<div class="list-head cluster"><h1>${title}</h1></div>
<p class="lead">${lead}</p>
${q !== undefined && searchForm({ path, q, label, button: layout.search, order, first })}
${chips(texts.order, links)}
${
  empty === undefined
    ? body
    : html`<div class="empty"><p>${empty}</p>${(q ?? '') === '' && html`<p><a class="button secondary" href="${next.href}" rel="nofollow">${next.text}</a></p>`}</div>`
}`,
  }
}

type Search = {
  path: string
  q: string
  label: string
  button: string
  order: string
  first: string | undefined
}

const searchForm = ({ path, q, label, button, order, first }: Search): Html =>
  html`<form class="again" role="search" action="${path}" aria-label="${label}">${order !== first && hiddenFields({ sort: order })}
<div class="row"><input type="search" name="q" value="${q}" aria-label="${label}" placeholder="${label}" maxlength="100">
<button class="secondary">${button}</button></div></form>`
