import { html, type Html, type Part } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { GUIDE_PAGES, guidePath, languageOf, type GuidePageName } from './guide-pages.ts'
import { withoutMarkup, type Block } from './markdown.ts'
import { markdownView, type BlockViews } from './markdown-view.ts'
import { codeBlock } from '../site/components/code-block.ts'
import { GUIDE_FILES, searchForm } from './reference/views/frame.ts'
import type { Snippet } from './snippets.ts'

/** Renders the introduction of the guide and the list of its pages. */
export function guideContents(
  context: PageContext,
  leadOf: (page: GuidePageName) => string | undefined,
): View {
  const { guide: texts, reference } = context.messages
  return framed(context, {
    title: texts.title,
    path: '/guide',
    description: texts.lead,
    body: html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
<ol class="contents">${GUIDE_PAGES.map((page) => html`<li><a href="${guidePath(page)}">${texts.pages[page]}</a>${page === 'clients' ? html`<p>${texts.clientsLead}</p>` : html`<p${otherLanguage(context, page)}>${leadOf(page)}</p>`}</li>`)}</ol>
<p><a href="/docs">${reference.title}</a>: ${reference.lead}</p>`,
  })
}

/** Renders one page of the guide. */
export function guideView(
  context: PageContext,
  { page, blocks, ...views }: { page: GuidePageName; blocks: Block[] } & Omit<BlockViews, 'code'>,
): View {
  const { guide: texts } = context.messages
  const other = otherLanguage(context, page)
  const index = GUIDE_PAGES.indexOf(page)
  const lead = leadIn(blocks)
  const text = markdownView(blocks, { ...views, code: texts.code })
  return framed(context, {
    title: `${texts.pages[page]} · ${texts.title}`,
    path: guidePath(page),
    ...(lead !== undefined && { description: views.fill(lead) }),
    body: html`${other && html`<p class="notice">${texts.inEnglish}</p>`}
<div${other}>${text}</div>
<p class="manual-next cluster divided">${step(texts.previous, GUIDE_PAGES[index - 1])}${step(texts.next, GUIDE_PAGES[index + 1])}</p>`,
  })

  function step(label: string, neighbor: GuidePageName | undefined): Html | false {
    return (
      neighbor !== undefined &&
      html`<span>${label} <a href="${guidePath(neighbor)}">${texts.pages[neighbor]}</a></span>`
    )
  }
}

/** Returns the `lang` attribute for text whose language differs from the page's. */
function otherLanguage({ language }: PageContext, page: GuidePageName): Html | false {
  const own = languageOf(page, language)
  return own !== language && html` lang="${own}"`
}

/** Returns a page's first paragraph as plain text. */
export function leadIn(blocks: Block[]): string | undefined {
  const paragraph = blocks.find((block) => block.kind === 'paragraph')
  return paragraph && withoutMarkup(paragraph.text)
}

/** Renders programs as an accordion. Names of programming languages are not translated. */
export const snippetList = (snippets: Snippet[]): Html =>
  html`${snippets.map(
    ({ label, file, text }, index) =>
      html`<details name="snippet"${index === 0 && html` open`}><summary lang="en">${label} <span class="quiet">${file}</span></summary>${codeBlock(text, file)}</details>`,
  )}`

function framed(
  context: PageContext,
  {
    title,
    path,
    description,
    body,
  }: { title: string; path: string; description?: string; body: Part },
): View {
  const { guide: texts, reference, console: developers } = context.messages
  const current = (href: string) => href === path && html` aria-current="page"`
  return {
    title,
    ...GUIDE_FILES,
    head: { description, canonical: path },
    body: html`<div class="manual sidebar">
<nav class="manual-side" aria-label="${texts.title}">
<p class="manual-name"><a href="/guide"${current('/guide')}>${texts.title}</a></p>
${searchForm(context)}
<ul class="manual-pages">${GUIDE_PAGES.map((page) => html`<li><a href="${guidePath(page)}"${current(guidePath(page))}>${texts.pages[page]}</a></li>`)}
<li><a href="/docs">${reference.title}</a></li>
<li><a href="/console">${developers.title}</a></li></ul>
</nav>
<article class="manual-page">
${body}
</article>
</div>`,
  }
}
