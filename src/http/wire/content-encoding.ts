import { memoize } from '../../kernel/memoize.ts'

/** How a body may be compressed, the better first. */
const ENCODINGS = ['br', 'gzip'] as const
export type ContentEncoding = (typeof ENCODINGS)[number]

/** The best that an `Accept-Encoding` header names and does not refuse; undefined: none (RFC 9110 §12.5.3). */
export const encodingFor = (header: string | string[] | undefined): ContentEncoding | undefined =>
  bestOf(String(header ?? ''))

const bestOf = memoize((header) => {
  const parts = header
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*/))
  const accepted = new Set(
    parts
      .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
      .map(([name]) => name),
  )
  return ENCODINGS.find((encoding) => accepted.has(encoding))
})
