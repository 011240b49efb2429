import { Type, type Static, type TObject, type TSchema } from 'typebox'
import { ERROR_CODES } from './errors/error-codes.ts'

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

export const Nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

/** An object that is a named schema in the OpenAPI document. Every property is required unless declared optional. */
export function Named<Properties extends Record<string, TSchema>>(
  name: string,
  properties: Properties,
  options: { description?: string; examples?: unknown[] } = {},
) {
  return Type.Object(properties, {
    $id: name,
    title: name,
    additionalProperties: false,
    ...options,
  })
}

/** A reference to a `Named` schema, which must be registered with `addSchemas`. */
export function Ref<Schema extends TObject>(schema: Schema) {
  return Type.Unsafe<Static<Schema>>({ $ref: `${String((schema as { $id?: string }).$id)}#` })
}

export const NullableText = Type.Union([Type.String(), Type.Null()])
export const NullableNumber = Type.Union([Type.Number(), Type.Null()])
export const NullableInteger = Type.Union([Type.Integer(), Type.Null()])
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const DateTime = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds',
})
export const NullableDate = Type.Union(
  [Type.String({ format: 'date-time', description: 'A day: midnight UTC' }), Type.Null()],
  { description: 'null when unknown or known only in part' },
)

/** The success envelope (§2.1) around `data`. */
export const Envelope = <Data extends TSchema>(data: Data) =>
  Type.Object(
    { success: Type.Literal(true), data, request_id: Type.String(), timestamp: DateTime },
    { additionalProperties: false },
  )

export const ErrorEnvelope = Named('ErrorEnvelope', {
  success: Type.Literal(false),
  error: Type.Object(
    {
      code: StringEnum(ERROR_CODES, {
        title: 'ErrorCode',
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
    },
    { additionalProperties: false },
  ),
  request_id: Type.String(),
  timestamp: DateTime,
})
