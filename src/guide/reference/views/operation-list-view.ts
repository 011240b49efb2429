import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { ServiceUrls } from '../../../site/options.ts'
import { filterOperations, operationPath, pathText, searchText, tagAnchor } from '../paths.ts'
import type { ApiReference } from '../document.ts'
import { codeBlock } from '../../../site/components/code-block.ts'
import { methodMark, referencePage } from './frame.ts'

/** Renders all operations, grouped by tag, or those that match `q`. */
export function operationListView(
  context: PageContext,
  reference: ApiReference,
  { q, urls }: { q: string; urls: ServiceUrls },
): View {
  const { reference: texts } = context.messages
  const found = filterOperations(reference, q)
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0)
  const page = referencePage(context, {
    reference,
    path: '/docs',
    title: texts.title,
    description: texts.lead,
    body: html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
<dl class="facts"><div><dt>${texts.address}</dt><dd><code>${urls.baseUrl}</code></dd></div>
<div><dt>${texts.version}</dt><dd>${reference.version}</dd></div></dl>
<p>${texts.howTo} <a href="/guide">${texts.toGuide}</a></p>
${codeBlock(`curl ${urls.baseUrl}/api/v3/open/galgames/1 -H "Authorization: Bearer $TOKEN"`, 'curl')}
<form class="manual-filter cluster" action="/docs" data-filter>
<label for="filter">${texts.filter}</label>
<input id="filter" type="search" name="q" value="${q}" maxlength="100" placeholder="${texts.filterHint}" autocomplete="off" spellcheck="false">
<button class="secondary">${texts.filterGo}</button>
</form>
<p class="quiet" role="status" data-count="${texts.count({ count: '0' })}" data-none="${texts.none}">${count === 0 ? texts.none : texts.count({ count: String(count) })}</p>
${found.map(
  ({ name, title, operations, description }) => html`<section class="part" data-part>
<h2 id="${tagAnchor(name)}"><a class="anchor" href="#${tagAnchor(name)}">${title}</a></h2>
<p class="quiet">${description}</p>
<ul class="operations panel rows">${operations.map(
    (operation) =>
      html`<li data-text="${searchText(operation)}"><a href="${operationPath(operation)}">${methodMark(operation.method)} <code>${pathText(operation)}</code><span class="summary">${operation.summary}</span></a></li>`,
  )}</ul>
</section>`,
)}`,
  })
  return q === '' ? page : { ...page, head: { robots: 'noindex' } }
}
