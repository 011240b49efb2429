import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import type { RequestFault } from '../errors/fault.ts'
import { isJsonObject } from '../../../kernel/is-json-object.ts'
import { notFound, validationError } from '../errors/refusals.ts'
import { schemaFault } from './schema-fault.ts'

/** An id in a path: a positive integer up to 2^53-1 in plain decimal form. */
const ID = /^[1-9]\d{0,15}$/

export const isId = (text: string) => ID.test(text) && Number.isSafeInteger(Number(text))

/**
 * @returns the id
 *
 * @throws {ApiError} `COMMON_NOT_FOUND` for anything else (decision 0002)
 */
export function parseId(text: string): number {
  if (!isId(text)) throw notFound()
  return Number(text)
}

/** A validator as Fastify calls it. The errors of its last call stay on the function. */
type RequestValidator = { (data: unknown): boolean; errors: ErrorObject[] | null }

const AJV_OPTIONS = {
  allErrors: true,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  // Tests check our schemas in the OpenAPI document. Compiling the meta-schema here would take most of the time.
  meta: false,
  validateSchema: false,
} as const

/**
 * Compiles route schemas. A query is text and is coerced. A body is taken exactly as sent, because coercion would turn
 * `{"rate": null}` into 0. The schemas of path parameters are only documentation; `parseId` validates the values.
 */
export function validatorCompiler(): FastifySchemaCompiler<object> {
  const validators: Partial<Record<'text' | 'json', Ajv>> = {}
  return ({ schema, httpPart }) => {
    if (httpPart === 'params' || httpPart === 'headers') return () => true
    const kind = httpPart === 'body' ? 'json' : 'text'
    const validator = onFirstUse(() => {
      validators[kind] ??= addFormats.default(
        new Ajv({ ...AJV_OPTIONS, coerceTypes: kind === 'text' }),
      )
      return validators[kind].compile(schema)
    })
    return kind === 'text' ? withReadableParameters(validator, schema) : validator
  }
}

/** Spellings of booleans in programming languages, each with the spelling that Ajv coerces. */
const BOOLEANS: Partial<Record<string, string>> = {
  1: 'true',
  True: 'true',
  TRUE: 'true',
  0: 'false',
  False: 'false',
  FALSE: 'false',
}

/**
 * Treats an empty parameter (`?page_size=`) as absent, because forms and templates send an empty one for a missing
 * value. Converts other spellings of booleans (`?scored=True`, `?scored=1`) to `true` or `false`.
 */
function withReadableParameters(validator: RequestValidator, schema: object): RequestValidator {
  const properties =
    'properties' in schema && isJsonObject(schema.properties) ? schema.properties : {}
  const isBoolean = (name: string) => {
    const property = properties[name]
    return isJsonObject(property) && property['type'] === 'boolean'
  }
  const validate = (query: unknown): boolean => {
    if (isJsonObject(query))
      for (const [name, value] of Object.entries(query))
        if (value === '') delete query[name]
        else if (isBoolean(name) && typeof value === 'string' && Object.hasOwn(BOOLEANS, value))
          query[name] = BOOLEANS[value]
    const isValid = validator(query)
    outer.errors = validator.errors
    return isValid
  }
  const outer: RequestValidator = Object.assign(validate, { errors: null })
  return outer
}

/**
 * Returns a function that checks single values against a schema. The schema is compiled on the first call.
 *
 * @returns the first violation, worded as for requests, or `undefined` if the value is valid
 */
export function createValueCheck(
  schema: object,
): (field: string, value: unknown) => RequestFault | undefined {
  const validator = onFirstUse(() =>
    addFormats.default(new Ajv({ ...AJV_OPTIONS, verbose: true })).compile(schema),
  )
  return (field, value) => {
    if (validator(value)) return undefined
    const errors = validator.errors ?? []
    return faultsIn(
      errors.map((error) => ({ ...error, instancePath: `/${field}${error.instancePath}` })),
    )[0]
  }
}

/** Returns a function that returns the faults of a query or a body. It coerces the values of a query in place. */
export function createFaultFinder(schema: object, httpPart: 'body' | 'querystring') {
  // as: the validators of this compiler
  const validate = validatorCompiler()({
    schema,
    httpPart,
    method: '',
    url: '',
  }) as RequestValidator
  return (value: unknown): RequestFault[] =>
    validate(value) ? [] : faultsIn(validate.errors ?? [])
}

/** Compiles a validator on its first use. Compiling unused schemas would dominate the startup time. */
function onFirstUse(compile: () => ValidateFunction): RequestValidator {
  let compiled: ValidateFunction | undefined
  const validate = (data: unknown): boolean => {
    compiled ??= compile()
    const isValid = compiled(data)
    validator.errors = compiled.errors ?? null
    return isValid
  }
  const validator: RequestValidator = Object.assign(validate, { errors: null })
  return validator
}

/** Creates the refusal for a request that violates its schema, with one entry per invalid field. */
export const validationFailed = (errors: (FastifySchemaValidationError | ErrorObject)[]) =>
  validationError(faultsIn(errors))

/**
 * Converts schema errors to one fault per field. If a value violates several branches of a union, the first fault is
 * enough.
 */
export function faultsIn(errors: (FastifySchemaValidationError | ErrorObject)[]): RequestFault[] {
  return [
    ...new Map(
      errors
        .map(toFieldFault)
        .toReversed()
        .map((fault) => [fault.field, fault]),
    ).values(),
  ].toReversed()
}

/**
 * Splits a body into the fields that its schema admits and the faults of the other fields, for a route with
 * `attachValidation`. Rules that no schema can express then see only values of the right type, and one response
 * reports all faults.
 *
 * @param known names of the declared fields
 */
export function readBody<Body extends object>(
  { body, validationError: invalid }: Pick<FastifyRequest, 'body' | 'validationError'>,
  known: readonly string[],
): { readable: Partial<Body>; faults: RequestFault[] } {
  // as: the schema admits the value
  if (!invalid) return { readable: body as Body, faults: [] }
  const faults = faultsIn(invalid.validation ?? [])
  const wrong = new Set(faults.map(({ field }) => field.split('.')[0]))
  const readable = Object.fromEntries(
    Object.entries(body ?? {}).filter(([name]) => !wrong.has(name) && known.includes(name)),
  )
  // as: only the fields that the schema admits
  return { readable: readable as Partial<Body>, faults }
}

/**
 * Reports all faults at once, one per field.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if there are any
 */
export function refuseFaults(faults: RequestFault[]) {
  const once = new Map(faults.toReversed().map((fault) => [fault.field, fault]))
  if (once.size > 0) throw validationError([...once.values()].toReversed())
}

function toFieldFault(error: FastifySchemaValidationError | ErrorObject): RequestFault {
  const { instancePath, keyword, params } = error
  const path = instancePath.slice(1).replaceAll('/', '.')
  const named = params['missingProperty'] ?? params['additionalProperty']
  const field = [path, typeof named === 'string' ? named : ''].filter(Boolean).join('.') || 'body'
  return { field, kind: keyword, ...schemaFault(error) }
}
