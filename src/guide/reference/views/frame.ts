import { html, type Html, type Part } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { operationPath, pathText, tagAnchor } from '../paths.ts'
import type { ApiOperation, ApiReference } from '../document.ts'

/** Stylesheet and script of every page of the guide and the reference. */
export const GUIDE_FILES = { styles: ['guide.css'], scripts: ['/assets/guide.js'] }

type Framed = {
  reference: ApiReference
  /** Path of the page, as linked in the navigation. */
  path: string
  title: string
  description?: string
  /** Current operation. The navigation lists the other operations with its tag. */
  operation?: ApiOperation
  scripts?: string[]
  body: Part
}

/** Renders a page of the reference with its navigation. */
export function referencePage(
  context: PageContext,
  { reference, title, body, ...page }: Framed,
): View {
  const { reference: texts } = context.messages
  const heading = page.path === '/docs' ? texts.title : `${title} · ${texts.title}`
  return {
    title: heading,
    styles: GUIDE_FILES.styles,
    scripts: [...GUIDE_FILES.scripts, ...(page.scripts ?? [])],
    head: { description: page.description, canonical: page.path },
    body: html`<div class="manual sidebar">
<nav class="manual-side" aria-label="${texts.title}">
<p class="manual-name"><a href="/docs"${page.path === '/docs' && html` aria-current="page"`}>${texts.title}</a></p>
${page.path !== '/docs' && searchForm(context)}
<ul>
${link('/docs/schemas', texts.schemas, page.path)}
${link('/docs/errors', texts.errors, page.path)}
<li><a href="/openapi.json">openapi.json</a></li>
<li><a href="/guide">${context.messages.guide.title}</a></li>
<li><a href="/console">${context.messages.console.title}</a></li>
</ul>
<ul class="manual-parts">${reference.tags.map((tag) => {
      const isOpen = tag.name === page.operation?.tag
      return html`<li><a href="/docs#${tagAnchor(tag.name)}"${isOpen && html` class="open"`}>${tag.title}</a>${
        isOpen &&
        html`<ul>${tag.operations.map((item) => link(operationPath(item), item.title, page.path))}</ul>`
      }</li>`
    })}</ul>
</nav>
<article class="manual-page">
${body}
</article>
</div>`,
  }
}

/** Renders the search in the guide and the reference. */
export const searchForm = ({ messages: { reference: texts } }: PageContext): Html =>
  html`<form class="manual-filter cluster" role="search" aria-label="${texts.filter}" action="/docs"><input type="search" name="q" maxlength="100" aria-label="${texts.filter}" placeholder="${texts.filter}" autocomplete="off" spellcheck="false"><button class="secondary">${texts.filterGo}</button></form>`

const link = (href: string, text: string, currentPath: string): Html =>
  html`<li><a href="${href}"${href === currentPath && html` aria-current="page"`}>${text}</a></li>`

/** Renders an HTTP method with its color. */
export const methodMark = (method: string): Html =>
  html`<span class="method method-${method.toLowerCase()}">${method}</span>`

/** Renders a link to an operation: its title, method and path. */
export const operationLink = (operation: ApiOperation): Html =>
  html`<a href="${operationPath(operation)}"><span class="summary">${operation.title}</span>${methodMark(operation.method)} <code>${pathText(operation)}</code></a>`
