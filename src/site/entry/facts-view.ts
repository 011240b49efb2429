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

/**
 * Renders values as chips that never break inside, or a single value without a chip. Those with a path are links.
 */
export function factChips(values: { text: string; href?: string }[]): Part {
  const [first, ...others] = values
  if (!first) return false
  const shown = ({ text, href }: { text: string; href?: string }, name?: string) => {
    const className = name !== undefined && html` class="${name}"`
    return href === undefined
      ? html`<span${className}>${text}</span>`
      : html`<a${className} href="${href}">${text}</a>`
  }
  if (others.length === 0) return shown(first)
  return html`<ul class="fact-chips">${values.map((value) => html`<li>${shown(value, 'tag')}</li>`)}</ul>`
}

/** Renders the attribute `lang` if the language is known. */
export const langOf = (lang: string | undefined) => lang !== undefined && html` lang="${lang}"`
