import { html, type Html, type Part } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import { enumValues, findSchemaName, formsOf, objectOf, stringOf } from '../document.ts'
import { prose } from '../prose.ts'

type Json = Record<string, unknown>

/** Maximum nesting depth. No schema of ours is deeper; recursive schemas use references. */
const MAX_DEPTH = 6

export const schemaPath = (name: string) => `/docs/schemas/${name}`

/** Renders a schema: its description with its type or its fields. */
export function schemaView(messages: Messages, schema: Json): Html {
  const fields = fieldsOf(schema)
  const description = stringOf(schema['description'])
  return html`${description !== '' && html`<p lang="en">${prose(description)}</p>`}${fields === undefined && html`<p lang="en">${typeOf(schema)}</p>`}${fieldList(messages, schema, 0)}`
}

/** Returns the properties of an object or of a list's items. */
function fieldsOf(schema: Json): Json | undefined {
  const inner = bare(schema)
  if (Object.keys(objectOf(inner['properties'])).length > 0) return inner
  return inner['type'] === 'array' ? fieldsOf(objectOf(inner['items'])) : undefined
}

function fieldList(messages: Messages, schema: Json, depth: number): Html | undefined {
  const inner = fieldsOf(schema)
  if (!inner || depth > MAX_DEPTH) return alternativesList(messages, schema, depth)
  const { reference: texts } = messages
  const required = new Set(Array.isArray(inner['required']) ? inner['required'] : [])
  return html`<dl class="fields">${Object.entries(objectOf(inner['properties'])).map(
    ([name, value]) => {
      const field = objectOf(value)
      const description = stringOf(field['description']) || stringOf(bare(field)['description'])
      return html`<div><dt><code>${name}</code> <span class="type" lang="en">${typeOf(field)}</span>${
        !required.has(name) && html` <span class="quiet">${texts.optional}</span>`
      }${defaultOf(texts, field)}</dt><dd>${description !== '' && html`<p lang="en">${prose(description)}</p>`}${fieldList(messages, field, depth + 1)}</dd></div>`
    },
  )}</dl>`
}

/** Renders the default value. */
export const defaultOf = (texts: Messages['reference'], schema: Json): Html | false =>
  schema['default'] !== undefined &&
  html` <span class="quiet">${texts.byDefault} <code>${JSON.stringify(schema['default'])}</code></span>`

/** Returns the alternatives of a schema that has several. */
function alternativesList(messages: Messages, schema: Json, depth: number): Html | undefined {
  const forms = formsOf(bare(schema)).filter((form) => fieldsOf(form) !== undefined)
  if (forms.length === 0 || depth > MAX_DEPTH) return undefined
  const nameOf = (form: Json, index: number) => {
    const description = stringOf(form['description'])
    const { reference: texts } = messages
    return description === ''
      ? texts.form({ number: index + 1 })
      : html`<span lang="en">${prose(description)}</span>`
  }
  return html`${forms.map((form, index) => html`<p class="quiet">${nameOf(form, index)}</p>${fieldList(messages, form, depth + 1)}`)}`
}

/** Returns the schema without `null`, which the type already shows. */
function bare(schema: Json): Json {
  const forms = formsOf(schema)
  const [only, ...others] = forms.filter((form) => form['type'] !== 'null')
  return only && others.length === 0 && forms.length > 1 ? only : schema
}

/** Renders the type in JSON Schema terms. Names of schemas are links. */
export function typeOf(schema: Json): Part {
  const name = findSchemaName(schema)
  if (name !== undefined) return html`<a href="${schemaPath(name)}">${name}</a>`
  const forms = formsOf(schema)
  if (forms.length > 0)
    return forms.map((form, index) => html`${index > 0 && ' | '}${typeOf(form)}`)
  if ('const' in schema) return JSON.stringify(schema['const'])
  const values = enumValues(schema)
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(' | ')
  const type = schema['type']
  if (type === 'array') return html`${itemsOf(schema)}[]${limits(schema)}`
  if (type === 'object' && isMap(schema))
    return html`{ ${typeOf(objectOf(schema['additionalProperties']))} }`
  const text = Array.isArray(type) ? type.join(' | ') : stringOf(type) || 'any'
  return html`${text}${stringOf(schema['format']) !== '' && ` ${stringOf(schema['format'])}`}${limits(schema)}`
}

function itemsOf(schema: Json): Part {
  const items = objectOf(schema['items'])
  const type = typeOf(items)
  return formsOf(items).length > 1 || enumValues(items).length > 0 ? html`(${type})` : type
}

const isMap = (schema: Json) =>
  Object.keys(objectOf(schema['properties'])).length === 0 &&
  typeof schema['additionalProperties'] === 'object'

/** Limit of safe integers in JavaScript, which is omitted from the page. */
const isBound = (value: unknown): value is number =>
  typeof value === 'number' && value < 2 ** 53 - 1

function limits(schema: Json): string {
  const bounds = [
    ['≥', schema['minimum'] ?? schema['minLength'] ?? schema['minItems']],
    ['≤', schema['maximum'] ?? schema['maxLength'] ?? schema['maxItems']],
  ] as const
  return bounds.flatMap(([sign, value]) => (isBound(value) ? [` ${sign} ${value}`] : [])).join('')
}
