/**
 * Strict decoders like those of clients in typed languages. A missing field, a wrong type, a fraction for an integer
 * or an unknown enum value is an error. Unknown fields are ignored.
 */
export type Decoder<Value> = (value: unknown, path: string) => Value

class DecodingError extends Error {
  constructor(path: string, expected: string, value: unknown) {
    super(
      `${path || 'the answer'} is ${JSON.stringify(value)?.slice(0, 200) ?? 'missing'}, not ${expected}`,
    )
  }
}

const typed =
  <Value>(expected: string, is: (value: unknown) => boolean): Decoder<Value> =>
  (value, path) => {
    if (!is(value)) throw new DecodingError(path, expected, value)
    // as: `is` has checked it
    return value as Value
  }

export const stringValue = typed<string>('a text', (value) => typeof value === 'string')
export const booleanValue = typed<boolean>('a boolean', (value) => typeof value === 'boolean')
export const numberValue = typed<number>('a number', (value) => typeof value === 'number')
export const integerValue = typed<number>('an integer', (value) => Number.isSafeInteger(value))
export const nullValue = typed<null>('null', (value) => value === null)

/** An ISO date-time with milliseconds and Z, the only format that some parsers accept. */
export const timestamp = typed<string>(
  'an ISO date-time',
  (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
)

export const enumOf = <const Words extends readonly string[]>(...words: Words) =>
  typed<Words[number]>(`one of ${words.join(', ')}`, (value) =>
    words.some((word) => word === value),
  )

export const nullable =
  <Value>(decode: Decoder<Value>): Decoder<Value | null> =>
  (value, path) =>
    value === null ? null : decode(value, path)

export const list =
  <Value>(decode: Decoder<Value>): Decoder<Value[]> =>
  (value, path) => {
    if (!Array.isArray(value)) throw new DecodingError(path, 'an array', value)
    return value.map((item, index) => decode(item, `${path}[${index}]`))
  }

type Fields = Record<string, Decoder<unknown>>
type Decoded<Shape extends Fields> = { [Name in keyof Shape]: ReturnType<Shape[Name]> }

export const object =
  <Shape extends Fields>(fields: Shape): Decoder<Decoded<Shape>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new DecodingError(path, 'an object', value)
    // as: any member of an object may be read
    const members = value as Record<string, unknown>
    const decoded = Object.entries(fields).map(([name, decode]) => [
      name,
      decode(members[name], path ? `${path}.${name}` : name),
    ])
    // as: one member per decoder, with the same names
    return Object.fromEntries(decoded) as Decoded<Shape>
  }

/** Envelope of every API response. */
export const envelope = <Value>(data: Decoder<Value>) =>
  object({ success: booleanValue, data, request_id: stringValue, timestamp })

export const pageMeta = object({
  page: integerValue,
  page_size: integerValue,
  item_count: integerValue,
  total_items: integerValue,
  total_pages: integerValue,
})
