import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Response = {
  content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>
}
type Operation = {
  summary?: string
  description?: string
  operationId?: string
  /** Parameters shared by several operations are in the components. */
  responses: Record<string, Response | { $ref: string }>
  security?: unknown[]
}
export type Document = {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response> }
}

const FILE = new URL('../../openapi.json', import.meta.url)

/** Returns the committed document. */
// as: openapi.test.ts checks the document itself
export const readDocument = () => JSON.parse(readFileSync(FILE, 'utf8')) as Document

const COMPONENT = '#/components/responses/'

/** Returns the responses of an operation with references resolved. */
export function responsesOf(
  { components }: Document,
  { responses }: Operation,
): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      '$ref' in response
        ? (components.responses[response.$ref.slice(COMPONENT.length)] ?? {})
        : response,
    ]),
  )
}

/** Returns the JSON pointer of a response in the document. */
function pointerTo({ paths }: Document, path: string, method: string, status: number): string[] {
  const response = paths[path]?.[method]?.responses[status]
  return response && '$ref' in response
    ? response.$ref.slice('#/'.length).split('/')
    : ['paths', path, method, 'responses', String(status)]
}

/**
 * Creates a function that validates a response against the document. It returns the errors, or '' for a valid response.
 *
 * @param path as the document spells it: `/api/v3/open/galgames/{id}`
 */
export function responseValidator(document?: Document): ResponseValidator {
  // Compiled once for all services of a process, which share the committed document.
  return document
    ? makeResponseValidator(document)
    : (committedValidator ??= makeResponseValidator(readDocument()))
}

type ResponseValidator = (path: string, status: number, body: unknown, method?: string) => string
let committedValidator: ResponseValidator | undefined

/** Options for fast compilation: most validators run once, so optimizing their code does not pay. */
const FAST_COMPILATION = { inlineRefs: false, code: { optimize: false } } as const

/**
 * Returns the document with all objects closed that list their properties. Clients must accept unknown fields, but this
 * service sends only documented ones.
 */
function closed<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(closed) as Value
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, closed<unknown>(one)]),
  )
  const isOpen = 'properties' in inner && 'type' in inner && !('additionalProperties' in inner)
  // as: the same with one more keyword
  return { ...inner, ...(isOpen && { additionalProperties: false }) } as Value
}

function makeResponseValidator(document: Document): ResponseValidator {
  const ajv = addFormats.default(
    new Ajv2020({ strict: false, allErrors: true, ...FAST_COMPILATION }),
  )
  ajv.addSchema({ $id: 'document', ...closed(document) })
  /** Compiled validators. Compiling one takes longer than the request whose response it checks. */
  const compiled = new Map<string, ValidateFunction>()
  const validatorAt = (reference: string) => {
    const known = compiled.get(reference) ?? ajv.compile({ $ref: reference })
    compiled.set(reference, known)
    return known
  }
  return (path, status, body, method = 'get') => {
    const response = pointerTo(document, path, method, status)
    const pointer = [...response, 'content', 'application/json', 'schema']
    const validate = validatorAt(
      `document#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
    )
    return validate(body) ? '' : `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`
  }
}

/** Returns the document's path for a URL. */
export const documentedPath = (path: string) =>
  path.split('?', 1)[0]?.replace(/\/\d+(?=\/|$)/, '/{id}') ?? path
