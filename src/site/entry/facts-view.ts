import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { titleLanguage } from '../components/title-language.ts'

/** Label and value of a fact. Facts with empty values are omitted. */
export type Fact = readonly [name: string, value: Part]

const isKnown = ([, value]: Fact) =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0)

/** Renders the facts of an entry, its aliases and its external links. */
export function factsView(
  { messages }: PageContext,
  {
    facts,
    aliases,
    links,
  }: { facts: Fact[]; aliases: string[]; links: { label: string; url: string }[] },
): Html {
  const { entry: texts } = messages
  const known = facts.filter(isKnown)
  return html`<aside class="entry-side" aria-label="${texts.facts}">
${known.length > 0 && html`<dl class="entry-list">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`}
${
  aliases.length > 0 &&
  html`<h2>${texts.aliases}</h2><ul class="plain-list">${aliases.map((alias) => html`<li${langOf(titleLanguage(alias, false))}>${alias}</li>`)}</ul>`
}
${
  links.length > 0 &&
  html`<h2>${texts.links}</h2><ul class="plain-list">${links.map(({ label, url }) => html`<li><a href="${url}" rel="external noopener">${label}</a></li>`)}</ul>`
}
</aside>`
}

/** Renders the attribute `lang` if the language is known. */
export const langOf = (lang: string | undefined) => lang !== undefined && html` lang="${lang}"`
