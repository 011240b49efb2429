import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { titleLanguage } from '../components/title-language.ts'

/**
 * Label and value of a fact, and whether the value has several parts that need the whole width. Facts
 * with empty values are omitted.
 */
export type Fact = readonly [name: string, value: Part, hasSeveral?: boolean]

const isKnown = ([, value]: Fact) =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0)

type FactsOptions = {
  facts: Fact[]
  aliases: string[]
  links: { label: string; name?: string; url: string }[]
  /** Shown between the facts and the aliases. */
  below?: Part
}

/** Renders the facts of an entry, its aliases and its external links. */
export function factsView(
  { messages }: PageContext,
  { facts, aliases, links, below }: FactsOptions,
): Html {
  const { entry: texts } = messages
  const known = facts.filter(isKnown)
  return html`<aside class="entry-side" aria-label="${texts.facts}">
${known.length > 0 && html`<dl class="entry-list">${known.map(([name, value, hasSeveral]) => html`<div${hasSeveral && html` class="has-chips"`}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`}
${below}
${
  aliases.length > 0 &&
  html`<h2>${texts.aliases}</h2><ul class="plain-list">${aliases.map((alias) => html`<li${langOf(titleLanguage(alias, false))}>${alias}</li>`)}</ul>`
}
${
  links.length > 0 &&
  html`<h2>${texts.links}</h2><ul class="plain-list">${links.map(({ label, name, url }) => html`<li><a href="${url}" rel="external noopener">${name === 'website' ? texts.homepage : label}</a></li>`)}</ul>`
}
</aside>`
}

type FactValue = { text: string; href?: string }

const factValue = ({ text, href }: FactValue, className: Html | false = false) =>
  href === undefined
    ? html`<span${className}>${text}</span>`
    : html`<a${className} href="${href}">${text}</a>`

/** Renders values as chips that never break inside. Those with a path are links. */
export const factChips = (values: FactValue[]): Html | false =>
  values.length > 0 &&
  html`<ul class="fact-chips">${values.map((value) => html`<li>${factValue(value, html` class="tag"`)}</li>`)}</ul>`

/** Renders several values as chips, and a single one as plain text or a link. */
export function factValues(values: FactValue[]): Html | false {
  const [first, ...others] = values
  return first && others.length === 0 ? factValue(first) : factChips(values)
}

/** Renders the attribute `lang` if the language is known. */
export const langOf = (lang: string | undefined) => lang !== undefined && html` lang="${lang}"`
