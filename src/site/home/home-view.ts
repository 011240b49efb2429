import type { EntrySummary } from '../../browse/summary.ts'
import { html, type Html } from '../../ui/html.ts'
import { searchBox } from '../../ui/page/frame.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { entryGrid } from '../components/entry-grid.ts'
import type { HomeData } from './find-home.ts'

/**
 * Renders the home page: search, then shelves of new, top-rated and current works, with links to
 * the full lists.
 */
export function homeView(
  context: PageContext,
  { newest, best, read, next, hidden }: HomeData,
  emptyNotice: Html | undefined,
): View {
  const { home: texts, layout } = context.messages
  return {
    title: texts.title,
    hasOwnSearch: true,
    head: {
      description: texts.description,
      canonical: '/',
      openGraph: { type: 'website' },
      feeds: [{ title: context.messages.feedPage.title, href: '/feeds/new.atom' }],
      jsonLd: {
        '@type': 'WebSite',
        name: context.siteName,
        url: `${context.origin}/`,
        potentialAction: {
          '@type': 'SearchAction',
          target: {
            '@type': 'EntryPoint',
            urlTemplate: `${context.origin}/search?q={search_term_string}`,
          },
          'query-input': 'required name=search_term_string',
        },
      },
    },
    body: html`<div class="hero">
<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${searchBox(context.messages, '')}
<p class="doors"><a class="of-galgame" href="/galgames">${layout.galgames}</a><a class="of-light-novel" href="/light-novels">${layout.lightNovels}</a><a class="of-manga" href="/mangas">${layout.mangas}</a></p>
</div>
${row(context, texts.next, next, undefined, true)}
${row(context, texts.read, read, undefined, next.length === 0)}
${row(context, texts.newest, newest, 'date', next.length === 0 && read.length === 0)}
${row(context, texts.best, best, 'score', false)}
${hiddenWorksNotice(context, hidden)}${emptyNotice}`,
  }
}

function row(
  context: PageContext,
  heading: string,
  entries: EntrySummary[],
  sort: string | undefined,
  isFirst: boolean,
): Html | undefined {
  if (entries.length === 0) return undefined
  const { layout } = context.messages
  const kinds = [
    ['/galgames', layout.galgames],
    ['/light-novels', layout.lightNovels],
    ['/mangas', layout.mangas],
  ] as const
  return html`<section class="shelf"><div class="shelf-head cluster"><h2>${heading}</h2>${
    sort !== undefined &&
    html`<p>${kinds.map(([path, text]) => html`<a href="${path}?sort=${sort}"><span class="unseen">${heading}: </span>${text}</a>`)}</p>`
  }</div>
${entryGrid(context, entries, { showsKind: true, eager: isFirst })}
</section>`
}
