import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { ApiReference } from '../document.ts'
import { operationLink, referencePage } from './frame.ts'
import { schemaPath, schemaView } from './schema-view.ts'

/** Renders the list of named schemas. */
export function schemasView(context: PageContext, reference: ApiReference): View {
  const { reference: texts } = context.messages
  return referencePage(context, {
    reference,
    path: '/docs/schemas',
    title: texts.schemas,
    body: html`<h1>${texts.schemas}</h1>
<p class="lead">${texts.schemasLead}</p>
<ul class="names" lang="en">${[...reference.schemas.keys()].map((name) => html`<li><a href="${schemaPath(name)}">${name}</a></li>`)}</ul>`,
  })
}

/** Renders one schema with the operations that use it. */
export function schemaPage(
  context: PageContext,
  reference: ApiReference,
  name: string,
): View | undefined {
  const { messages } = context
  const { reference: texts } = messages
  const schema = reference.schemas.get(name)
  if (!schema) return undefined
  const mark = `"#/components/schemas/${name}"`
  const uses = [...reference.operations.values()].filter((operation) =>
    JSON.stringify(operation).includes(mark),
  )
  const holders = [...reference.schemas].filter(
    ([other, value]) => other !== name && JSON.stringify(value).includes(mark),
  )
  return referencePage(context, {
    reference,
    path: schemaPath(name),
    title: name,
    body: html`<h1 lang="en">${name}</h1>
${schemaView(messages, schema)}
${uses.length + holders.length > 0 && html`<h2>${texts.usedBy}</h2>`}
${holders.length > 0 && html`<ul class="names" lang="en">${holders.map(([other]) => html`<li><a href="${schemaPath(other)}">${other}</a></li>`)}</ul>`}
${
  uses.length > 0 &&
  html`<ul class="operations panel rows">${uses.map(
    (operation) => html`<li>${operationLink(operation)}</li>`,
  )}</ul>`
}`,
  })
}
