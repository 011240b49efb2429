import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { ServiceUrls } from '../../../site/options.ts'
import { operationPath, pathText } from '../paths.ts'
import { curlOf } from '../curl.ts'
import {
  findSchemaName,
  objectOf,
  stringOf,
  type DocumentedResponse,
  type ApiOperation,
  type ApiParameter,
  type ApiReference,
} from '../document.ts'
import { codeBlock } from '../../../site/components/code-block.ts'
import { methodMark, referencePage } from './frame.ts'
import { prose } from '../prose.ts'
import { defaultOf, schemaView, typeOf } from './schema-view.ts'
import { tryForm, type TryOptions } from './try-form.ts'

/** Renders one operation: access, parameters, responses, and a form to try it. */
export function operationView(
  context: PageContext,
  reference: ApiReference,
  {
    operation,
    urls,
    client,
    entryId,
  }: { operation: ApiOperation; urls: ServiceUrls } & Pick<TryOptions, 'client' | 'entryId'>,
): View {
  const { messages } = context
  const { reference: texts } = messages
  const { parameters, body, responses } = operation
  const successes = responses.filter(({ status }) => Number(status) < 400)
  const refusals = responses.filter(({ status }) => Number(status) >= 400)
  return referencePage(context, {
    reference,
    operation,
    path: operationPath(operation),
    title: operation.title,
    description: operation.summary || operation.title,
    scripts: ['/assets/reference.js'],
    body: html`<p class="quiet">${operation.tagTitle}</p>
<h1>${operation.title}</h1>
${operation.summary !== '' && html`<p class="lead">${operation.summary}</p>`}
<p class="address panel" lang="en">${methodMark(operation.method)} <code>${pathText(operation)}</code></p>
<p class="quiet" lang="en"><code>${operation.id}</code></p>
${operation.description !== '' && html`<p lang="en">${prose(operation.description)}</p>`}
<div class="operation-columns tiles"><div><h2 id="request">${texts.request}</h2>
${codeBlock(curlOf(operation, reference, urls), 'curl')}
<h2 id="access">${texts.access}</h2>
${accessList(messages, operation)}
${parameters.length > 0 && html`<h2 id="parameters">${texts.parameters}</h2>${parameterList(messages, parameters)}`}
${body && html`<h2 id="body">${texts.body}</h2><p class="quiet"><code>${body.types.join(', ')}</code></p>${schemaView(messages, body.schema)}`}
${tryForm(messages, { operation, reference, urls, client, entryId, viewer: context.viewer })}</div>
<div><h2 id="answers">${texts.responses}</h2>
${successes.map((response) => successOf(messages, reference, response))}
<h2 id="refusals">${texts.refusals}</h2>
<ul class="refusals">${refusals.map(refusalOf)}</ul>
<p><a href="/docs/errors">${texts.allErrors}</a></p></div></div>`,
  })
}

function accessList({ reference: texts }: Messages, { audiences, path }: ApiOperation): Html {
  const other = path.startsWith('/v3/user/me')
    ? path.replace(/^\/v3\/user\/me/, '/api/v3/open/user/me')
    : path.startsWith('/api/v3/open/')
      ? path.replace(/^\/api\/v3\/open\//, '/v3/')
      : undefined
  return html`<ul>${
    audiences.length === 0
      ? html`<li>${texts.audiences.anybody}</li>`
      : audiences.map(
          ({ kind, scope }) => html`<li>${texts.audiences[kind]} <code>${scope}</code></li>`,
        )
  }</ul>${other !== undefined && html`<p class="quiet">${texts.alsoAt} <code>${other}</code></p>`}`
}

function parameterList({ reference: texts }: Messages, parameters: ApiParameter[]): Html {
  return html`<dl class="fields">${parameters.map(
    (parameter) =>
      html`<div><dt><code>${parameter.name}</code> <span class="type" lang="en">${typeOf(parameter.schema)}</span> <span class="quiet">${texts.places[parameter.in]}</span>${
        parameter.isRequired && html` <span class="always">${texts.required}</span>`
      }${defaultOf(texts, parameter.schema)}</dt><dd>${parameter.descriptions.map((text) => html`<p lang="en">${prose(text)}</p>`)}</dd></div>`,
  )}</dl>`
}

/** Fields of every response, which the guide describes. */
const ENVELOPE = new Set(['success', 'data', 'request_id', 'timestamp'])

function successOf(
  messages: Messages,
  reference: ApiReference,
  { status, description, schema, examples, headers }: DocumentedResponse,
): Html {
  const { reference: texts } = messages
  const data = schema && objectOf(schema['properties'])['data']
  const shown = data === undefined ? schema : objectOf(data)
  const examplesPanel =
    data === undefined
      ? []
      : Object.entries(objectOf(schema?.['properties'])).filter(([name]) => !ENVELOPE.has(name))
  return html`<section class="answer"><h3><span class="status">${status}</span></h3>
${description !== '' && html`<p lang="en">${prose(description)}</p>`}
${examples.map(
  ([name, value], index) =>
    html`<details${index === 0 && html` open`}><summary>${texts.example}${examples.length > 1 && html` <code>${name}</code>`}</summary>${codeBlock(JSON.stringify(value, null, 2), `${texts.example} ${name}`)}</details>`,
)}
${data !== undefined && html`<p class="quiet">${prose(texts.inEnvelope)} <a href="/guide/answers">${texts.envelope}</a></p>`}
${shown && html`<div class="type-line">${typeOf(shown)}</div>${schemaView(messages, reference.schemas.get(nameIn(shown)) ?? shown)}`}
${examplesPanel.length > 0 && html`<p class="quiet">${prose(texts.besideData)}</p>${schemaView(messages, { properties: Object.fromEntries(examplesPanel) })}`}
${headers.length > 0 && html`<details><summary>${texts.headers}</summary><dl class="fields">${headers.map(([name, text]) => html`<div><dt><code>${name}</code></dt><dd><p lang="en">${prose(text)}</p></dd></div>`)}</dl></details>`}</section>`
}

/** Returns the name of the schema for a response or its list items. That schema is expanded in place. */
function nameIn(schema: Record<string, unknown>): string {
  const held = schema['type'] === 'array' ? objectOf(schema['items']) : schema
  return findSchemaName(held) ?? ''
}

function refusalOf({ status, description, headers, examples }: DocumentedResponse): Html {
  const codes = new Set(
    examples.map(([, value]) => stringOf(objectOf(objectOf(value)['error'])['code'])),
  )
  const ofItsOwn = headers.filter(([name]) => !name.startsWith('X-RateLimit'))
  return html`<li><span class="status">${status}</span> ${[...codes].map((code) => html`<a href="/docs/errors#${`${status}-${code}`}"><code>${code}</code></a> `)}<span class="quiet" lang="en">${prose(description)}${ofItsOwn.map(([name, text]) => html` · <code>${name}</code> ${prose(text)}`)}</span></li>`
}
