import { memoize } from '../../kernel/async/memoize.ts'

/** Supported content encodings, in order of preference. */
const ENCODINGS = ['br', 'gzip'] as const
export type ContentEncoding = (typeof ENCODINGS)[number]

/**
 * Returns the best encoding that an `Accept-Encoding` header accepts (RFC 9110 §12.5.3), or `undefined` to send the
 * body unencoded.
 */
export const encodingFor = (header: string | string[] | undefined): ContentEncoding | undefined =>
  bestOf(String(header ?? ''))

const bestOf = memoize((header) => {
  const weights = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', ...parameters] = coding.split(';').map((part) => part.trim())
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
        return [name, weight === undefined ? 1 : Number(weight)]
      }),
  )
  return ENCODINGS.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0)
})
