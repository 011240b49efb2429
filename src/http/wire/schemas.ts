import { Type, type Static, type TObject, type TSchema, type TSchemaOptions } from 'typebox'
import { ERROR_CODES, type ErrorCode } from './errors/error-codes.ts'

/**
 * A string enum. `Type.Enum` omits `type`, which breaks client generators.
 *
 * @param options with a `title`, the enum becomes a separate schema in the OpenAPI document and a separate type in
 * clients
 */
export function StringEnum<const Value extends string>(
  values: readonly Value[],
  options: object = {},
) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options })
}

/** A string enum that also admits null. */
export function NullableEnum<const Value extends string>(
  values: readonly Value[],
  options: object = {},
) {
  return Type.Unsafe<Value | null>({
    type: ['string', 'null'],
    enum: [...values, null],
    ...options,
  })
}

/** Keyword that lists the known values of a string. Unlike with `enum`, generated clients accept other values. */
export const OPEN_ENUM = 'x-extensible-enum'

export const Nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)

/** An object without other properties. Every property is required unless declared optional. */
export const Closed = <Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: TSchemaOptions = {},
) => Type.Object(properties, { additionalProperties: false, ...options })

/** A closed object whose properties all have the same schema. */
export const ObjectOf = <const Name extends string | number, Schema extends TSchema>(
  names: readonly Name[],
  schema: Schema,
  options: TSchemaOptions = {},
) =>
  Closed(
    // as: one property per name
    Object.fromEntries(names.map((name) => [name, schema])) as Record<`${Name}`, Schema>,
    options,
  )

/** A closed object that is a named schema in the OpenAPI document. */
export function Named<Properties extends Record<string, TSchema>>(
  name: string,
  properties: Properties,
) {
  return Type.Object(properties, { $id: name, title: name, additionalProperties: false })
}

/** A reference to a `Named` schema, which must be registered with `addSchemas`. */
export function Ref<Schema extends TObject>(schema: Schema) {
  return Type.Unsafe<Static<Schema>>({ $ref: `${String((schema as { $id?: string }).$id)}#` })
}

export const NullableText = Nullable(Type.String())
export const NullableNumber = Nullable(Type.Number())
export const NullableInteger = Nullable(Type.Integer())
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const DateTime = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds',
})
export const NullableDate = Nullable(
  Type.String({ format: 'date-time', description: 'A day: midnight UTC' }),
  { description: 'null when unknown or known only in part' },
)

/** The success envelope (§2.1) around `data`. */
export const Envelope = <Data extends TSchema>(data: Data) =>
  Closed({ success: Type.Literal(true), data, request_id: Type.String(), timestamp: DateTime })

export const ErrorEnvelope = Named('ErrorEnvelope', {
  success: Type.Literal(false),
  error: Closed({
    code: Type.Unsafe<ErrorCode>({
      type: 'string',
      title: 'ErrorCode',
      [OPEN_ENUM]: ERROR_CODES,
      description: 'Codes may be added. Handle an unknown code by its HTTP status.',
    }),
    message: Type.String({
      description:
        'For developers: what is wrong and what to do. For invalid fields only their names, with details in `field_errors`',
    }),
    field_errors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String(),
          message: Type.String(),
          code: Type.Optional(Type.String()),
        }),
      ),
    ),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    retryable: Type.Optional(Type.Boolean()),
  }),
  request_id: Type.String(),
  timestamp: DateTime,
})
