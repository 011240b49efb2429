import {
  asList,
  asObject,
  alternativesOf,
  has,
  nameOf,
  parametersOf,
  resolve,
  typesOf,
  valuesOf,
  serializationOf,
  type Json,
} from './document-parts.ts'

/** Whether a value is sent by clients, or by the server. */
type Direction = 'request' | 'response'

/** Keywords that narrow a value: the larger, or the smaller, the fewer values are valid. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
/** Formats that state the size of a number, which its bounds limit as well. */
const SIZES = new Set(['int32', 'int64', 'float', 'double'])

/**
 * Lists the changes between two OpenAPI documents that break a client written for the first, by the policy of
 * `/guide/stability`: clients ignore unknown fields of responses and unknown values of enums in them.
 */
export function breakingChanges(before: object, after: object): string[] {
  const [older, newer] = [asObject(before), asObject(after)]
  const changes: string[] = []
  const compared = new Set<string>()
  for (const [path, methods] of Object.entries(asObject(older['paths']))) {
    const others = asObject(asObject(newer['paths'])[path])
    for (const [method, operation] of Object.entries(asObject(methods))) {
      const name = `${method.toUpperCase()} ${path}`
      if (has(others, method))
        compareOperations(asObject(operation), asObject(others[method]), name)
      else changes.push(`${name} was removed`)
    }
  }
  return changes

  function compareOperations(old: Json, now: Json, name: string) {
    if (old['operationId'] !== now['operationId'])
      changes.push(`${name}: operationId ${String(old['operationId'])} was renamed`)
    compareSecurity(old, now, name)
    compareParameters(old, now, name)
    compareBodies(old, now, name)
    compareResponses(old, now, name)
  }

  /** Each combination of schemes and scopes that was sufficient must still be. */
  function compareSecurity(old: Json, now: Json, name: string) {
    const alternatives = asList(now['security']).map(asObject)
    for (const granted of asList(old['security']).map(asObject)) {
      const suffices = (needed: Json) =>
        Object.entries(needed).every(
          ([scheme, scopes]) =>
            has(granted, scheme) &&
            asList(scopes).every((scope) => asList(granted[scheme]).includes(scope)),
        )
      if (alternatives.length > 0 && !alternatives.some(suffices))
        changes.push(`${name}: ${JSON.stringify(granted)} no longer suffices`)
    }
    if (asList(old['security']).length === 0 && alternatives.length > 0)
      changes.push(`${name}: a token is required`)
  }

  function compareParameters(old: Json, now: Json, name: string) {
    const [known, present] = [parametersOf(older, old), parametersOf(newer, now)]
    for (const [key, parameter] of known) {
      const other = present.get(key)
      if (!other) changes.push(`${name}: ${key} was removed`)
      else {
        if (other['required'] === true && parameter['required'] !== true)
          changes.push(`${name}: ${key} became required`)
        if (serializationOf(other) !== serializationOf(parameter))
          changes.push(`${name}: ${key} is serialized differently`)
        const schema = resolve(older, parameter['schema'])
        const { default: value } = resolve(newer, other['schema'])
        if (has(schema, 'default') && JSON.stringify(value) !== JSON.stringify(schema['default']))
          changes.push(`${name}: the default of ${key} was changed`)
        compare(parameter['schema'], other['schema'], 'request', `${name}: ${key}`)
      }
    }
    for (const [key, parameter] of present)
      if (parameter['required'] === true && !known.has(key))
        changes.push(`${name}: ${key} is new and required`)
  }

  function compareBodies(old: Json, now: Json, name: string) {
    const body = resolve(older, old['requestBody'])
    const other = resolve(newer, now['requestBody'])
    if (other['required'] === true && body['required'] !== true)
      changes.push(`${name}: the body became required`)
    compareContents(body, other, 'request', `${name}: body`)
  }

  function compareResponses(old: Json, now: Json, name: string) {
    const [known, present] = [asObject(old['responses']), asObject(now['responses'])]
    // Errors may be added and removed, but the response of each stays compatible.
    const isSuccess = (status: string) => Number(status) < 400
    for (const [status, response] of Object.entries(known)) {
      if (!has(present, status)) {
        if (isSuccess(status)) changes.push(`${name}: status ${status} was removed`)
        continue
      }
      const [from, to] = [resolve(older, response), resolve(newer, present[status])]
      for (const header of Object.keys(asObject(from['headers'])))
        if (!has(asObject(to['headers']), header))
          changes.push(`${name} ${status}: header ${header} was removed`)
      compareContents(from, to, 'response', `${name} ${status}`)
    }
    for (const status of Object.keys(present))
      if (isSuccess(status) && !has(known, status)) changes.push(`${name}: status ${status} is new`)
  }

  function compareContents(old: Json, now: Json, direction: Direction, where: string) {
    const present = asObject(now['content'])
    for (const [type, media] of Object.entries(asObject(old['content'])))
      if (has(present, type))
        compare(asObject(media)['schema'], asObject(present[type])['schema'], direction, where)
      else changes.push(`${where}: ${type} was removed`)
  }

  /** Compares two schemas. Pairs of named schemas are compared once. */
  function compare(from: unknown, to: unknown, direction: Direction, where: string) {
    const [name, other] = [asObject(from)['$ref'], asObject(to)['$ref']]
    if (typeof name === 'string' && typeof other === 'string') {
      const pair = `${direction} ${name} ${other}`
      if (compared.has(pair)) return
      compared.add(pair)
      compareSchemas(resolve(older, from), resolve(newer, to), direction, name.slice(21))
    } else compareSchemas(resolve(older, from), resolve(newer, to), direction, where)
  }

  function compareSchemas(old: Json, now: Json, direction: Direction, where: string) {
    const [forms, others] = [alternativesOf(older, old), alternativesOf(newer, now)]
    if (forms.length > 1 || others.length > 1) return compareForms(forms, others, direction, where)
    compareTypes(old, now, direction, where)
    if (direction === 'request') compareLimits(old, now, where)
    else compareRepresentations(old, now, where)
    compareObjects(old, now, direction, where)
    if (has(old, 'items') && has(now, 'items'))
      compare(old['items'], now['items'], direction, `${where}[]`)
  }

  /** Each form of a union that a sender may send must be one that the receiver knew. */
  function compareForms(forms: Json[], others: Json[], direction: Direction, where: string) {
    const [sent, known] = direction === 'request' ? [forms, others] : [others, forms]
    for (const form of sent) {
      const attempts = known.map((candidate) => {
        const pair: [Json, Json] = direction === 'request' ? [form, candidate] : [candidate, form]
        return faultsOf(() => compareSchemas(...pair, direction, where))
      })
      if (attempts.some((faults) => faults.length === 0)) continue
      const [closest = []] = attempts.toSorted((one, two) => one.length - two.length)
      changes.push(...(forms.length === others.length ? closest : []))
      if (forms.length !== others.length || closest.length === 0)
        changes.push(
          `${where}: ${nameOf(form)} ${direction === 'request' ? 'was removed' : 'is new'}`,
        )
    }
  }

  /** Runs a comparison without recording what it finds. */
  function faultsOf(comparison: () => void): string[] {
    const count = changes.length
    const before = new Set(compared)
    comparison()
    const faults = changes.splice(count)
    if (faults.length > 0) for (const pair of compared) if (!before.has(pair)) compared.delete(pair)
    return faults
  }

  function compareTypes(old: Json, now: Json, direction: Direction, where: string) {
    const [types, others] = [typesOf(old), typesOf(now)]
    const [sent, known] = direction === 'request' ? [types, others] : [others, types]
    // A schema without a type permits every value.
    if (known.length === 0) return
    if (sent.length === 0) changes.push(`${where}: any type became ${known.join(', ')}`)
    for (const type of sent)
      if (!known.includes(type) && !(type === 'integer' && known.includes('number')))
        changes.push(
          `${where}: type ${String(type)} ${direction === 'request' ? 'was removed' : 'is new'}`,
        )
  }

  function compareLimits(old: Json, now: Json, where: string) {
    const [values, permitted] = [valuesOf(old), valuesOf(now)]
    if (permitted && !values) changes.push(`${where}: only some values are permitted`)
    for (const value of (permitted && values) ?? [])
      if (!permitted?.includes(value)) changes.push(`${where}: value ${String(value)} was removed`)
    for (const [bounds, sign] of [
      [LOWER_BOUNDS, 1],
      [UPPER_BOUNDS, -1],
    ] as const)
      for (const bound of bounds)
        if (
          has(now, bound) &&
          sign * Number(now[bound]) > sign * Number(old[bound] ?? -sign * Infinity)
        )
          changes.push(`${where}: ${bound} was narrowed`)
    for (const keyword of ['pattern', 'format', 'multipleOf', 'uniqueItems'])
      if (has(now, keyword) && now[keyword] !== old[keyword] && !SIZES.has(String(now[keyword])))
        changes.push(`${where}: ${keyword} was added or changed`)
  }

  /** Compares what decides how generated clients represent a value of a response. */
  function compareRepresentations(old: Json, now: Json, where: string) {
    const [format, other] = [old['format'], now['format']]
    if (format !== other && (format !== undefined || other === 'int64'))
      changes.push(`${where}: format was changed`)
    if (has(old, 'const') && !valuesOf(now)?.includes(old['const']))
      changes.push(`${where}: const was changed`)
  }

  function compareObjects(old: Json, now: Json, direction: Direction, where: string) {
    const [fields, present] = [asObject(old['properties']), asObject(now['properties'])]
    const [needed, guaranteed] = [asList(now['required']), asList(old['required'])]
    const [values, others] = [old['additionalProperties'], now['additionalProperties']]
    const isClosed = others === false
    if (values !== false && !isClosed && [values, others].some((each) => typeof each === 'object'))
      compare(asObject(values), asObject(others), direction, `${where}{}`)
    if (isClosed && typesOf(old).includes('object') && values !== false)
      changes.push(`${where}: other fields are no longer permitted`)
    for (const [field, schema] of Object.entries(fields))
      if (has(present, field)) compare(schema, present[field], direction, `${where}.${field}`)
      else if (direction === 'response' || isClosed) changes.push(`${where}.${field} was removed`)
    if (direction === 'request') {
      for (const field of needed)
        if (!guaranteed.includes(field)) changes.push(`${where}.${String(field)} became required`)
    } else
      for (const field of guaranteed)
        if (has(present, String(field)) && !needed.includes(field))
          changes.push(`${where}.${String(field)} became optional`)
  }
}
