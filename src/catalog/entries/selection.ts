import { Type } from 'typebox'
import type { Fault } from '../../http/wire/errors/fault.ts'
import { notOneOf, validationError } from '../../http/wire/errors/refusals.ts'
import { KINDS, type EntryKind } from '../kinds.ts'

/** Maximum number of names in `include` or `fields`, including repeated ones. */
const MAX_NAMES = 100

/** Query parameters of the routes that return entries. */
export type SelectionQuery = { include?: string | string[]; fields?: string | string[] }

/** Parts and fields that a request selects. */
export type Selection = {
  /** Names of the included parts, in the order of their kind. */
  parts: readonly string[]
  /** Names of the wanted fields; undefined for all. */
  fields: ReadonlySet<string> | undefined
}

/** Names that a kind's `include` and `fields` accept. */
export type Selectable = { parts: readonly string[]; fields: ReadonlySet<string> }

/**
 * Reads `include` and `fields`. Order and repetition do not matter, and an empty parameter counts as missing.
 *
 * @returns undefined if the request wants whole entries without parts
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` naming an unknown name, or the allowed parts
 */
export function selectionOf(
  { include, fields }: SelectionQuery,
  { parts, fields: known }: Selectable,
): Selection | undefined {
  if (include === undefined && fields === undefined) return undefined
  const included = namesIn('include', include)
  if (included.size > 0 && parts.length === 0) throw refusal('include', { code: 'include.none' })
  for (const name of included) if (!parts.includes(name)) throw notOneOf('include', parts)
  const chosen = namesIn('fields', fields)
  for (const name of chosen) if (!known.has(name)) throw unknownField(name)
  if (included.size + chosen.size === 0) return undefined
  return {
    parts: parts.filter((name) => included.has(name)),
    fields: chosen.size > 0 ? chosen : undefined,
  }
}

function namesIn(field: string, sent: string | string[] = []): Set<string> {
  const names = [sent].flat().join(',').split(',').filter(Boolean)
  if (names.length > MAX_NAMES)
    throw refusal(field, {
      code: 'filter.too_many',
      params: { max: MAX_NAMES, count: names.length },
    })
  return new Set(names)
}

const refusal = (field: string, fault: Fault) => validationError([{ field, ...fault }])

/** Returns the error for a name that is not a field of the kind. */
export const unknownField = (name: string) =>
  refusal('fields', {
    code: 'fields.unknown',
    params: { name: JSON.stringify(name.slice(0, 40).toWellFormed()) },
  })

/** Returns the parameters of a kind in the OpenAPI document, and the refusals for invalid ones. */
export function selectionDocumentation(kind: EntryKind, { parts, fields }: Selectable) {
  const { singular } = KINDS[kind]
  const names = (allowed: Iterable<string>, description: string) =>
    Type.Optional(
      Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...allowed] }), { description }),
    )
  return {
    parameters: {
      ...(parts.length > 0 && {
        include: names(
          parts,
          'Parts to add in `included`, separated by commas: the first ten entries of each, with the total.',
        ),
      }),
      fields: names(
        fields,
        'Fields to return, separated by commas. The response then lacks all others, including required ones.',
      ),
    },
    faults: {
      ...(parts.length > 0 && { [`badInclude:${singular}`]: notOneOf('include', parts) }),
      unknownField: unknownField('cover'),
    },
  }
}
