import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { ServiceUrls } from '../../../site/options.ts'
import { filterOperations, tagAnchor } from '../paths.ts'
import type { FoundSection } from '../../search-guide.ts'
import type { ApiReference } from '../document.ts'
import { codeBlock } from '../../../site/components/code-block.ts'
import { operationLink, referencePage } from './frame.ts'

/** Renders all operations grouped by tag; with `q`, only the matching sections of the guide and operations. */
export function operationListView(
  context: PageContext,
  reference: ApiReference,
  { q, urls, sections }: { q: string; urls: ServiceUrls; sections: FoundSection[] },
): View {
  const { reference: texts, guide } = context.messages
  const found = filterOperations(reference, q)
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0)
  const page = referencePage(context, {
    reference,
    path: '/docs',
    title: texts.title,
    description: texts.lead,
    body: html`<h1>${texts.title}</h1>
${q === '' && introduction(context, reference, urls)}
<form class="manual-filter cluster" action="/docs" data-filter>
<label for="filter">${texts.filter}</label>
<input id="filter" type="search" name="q" value="${q}" maxlength="100" placeholder="${texts.filterHint}" autocomplete="off" spellcheck="false">
<button class="secondary">${texts.filterGo}</button>
</form>
${sections.length > 0 && html`<section class="part"><h2>${guide.title}</h2><ul class="contents">${sections.map(({ page, language, href, heading, excerpt }) => html`<li${language !== context.language && html` lang="${language}"`}><a href="${href}">${guide.pages[page]}${heading !== undefined && ` › ${heading}`}</a><p>${excerpt}</p></li>`)}</ul></section>`}
<p class="quiet" role="status" data-count="${texts.count({ count: '0' })}" data-none="${texts.none}">${count === 0 ? texts.none : texts.count({ count: String(count) })}</p>
${found.map(
  ({ name, title, operations, description }) => html`<section class="part" data-part>
<h2 id="${tagAnchor(name)}"><a class="anchor" href="#${tagAnchor(name)}">${title}</a></h2>
<p class="quiet">${description}</p>
<ul class="operations panel rows">${operations.map(
    (operation) => html`<li data-text="${operation.searched}">${operationLink(operation)}</li>`,
  )}</ul>
</section>`,
)}`,
  })
  return q === '' ? page : { ...page, head: { robots: 'noindex' } }
}

const introduction = (
  { messages: { reference: texts } }: PageContext,
  { version }: ApiReference,
  { baseUrl }: ServiceUrls,
): Html =>
  html`<p class="lead">${texts.lead}</p>
<dl class="facts"><div><dt>${texts.address}</dt><dd><code>${baseUrl}</code></dd></div>
<div><dt>${texts.version}</dt><dd>${version}</dd></div></dl>
<p>${texts.howTo} <a href="/guide">${texts.toGuide}</a></p>
${codeBlock(`curl ${baseUrl}/api/v3/open/galgames/1 -H "Authorization: Bearer $TOKEN"`, 'curl')}`
