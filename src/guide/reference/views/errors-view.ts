import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { ApiReference } from '../document.ts'
import { referencePage } from './frame.ts'
import { prose } from '../prose.ts'

/** Renders the distinct errors of the API. */
export function errorsView(context: PageContext, reference: ApiReference): View {
  const { reference: texts, guide } = context.messages
  return referencePage(context, {
    reference,
    path: '/docs/errors',
    title: texts.errors,
    body: html`<h1>${texts.errors}</h1>
<p class="lead">${texts.errorsLead}</p>
<p><a href="/guide/errors">${guide.title}</a></p>
${errorTable(context, reference)}`,
  })
}

/** Lists each status and code with its messages, followed by their meanings. */
export function errorTable({ messages }: PageContext, reference: ApiReference): Html {
  const { reference: texts } = messages
  const codes = Map.groupBy(reference.errors, ({ status, code }) => `${status} ${code}`)
  return html`<table class="errors cards"><caption class="unseen">${texts.errors}</caption>
<thead><tr><th scope="col">${texts.status}</th><th scope="col">${texts.code}</th><th scope="col">${texts.message}</th></tr></thead>
<tbody>${[...codes.values()].map(
    (group) =>
      html`<tr><td data-label="${texts.status}">${group[0]?.status}</td><th scope="row" id="${`${group[0]?.status}-${group[0]?.code}`}"><code>${group[0]?.code}</code></th><td data-label="${texts.message}">${group.map(({ message }) => html`<p lang="en">${prose(message)}</p>`)}${meaningView(reference, group[0]?.code)}</td></tr>`,
  )}</tbody></table>`
}

function meaningView({ meanings }: ApiReference, code = ''): Html | false {
  const meaning = meanings.get(code)
  return meaning !== undefined && html`<p class="quiet">${meaning}</p>`
}
