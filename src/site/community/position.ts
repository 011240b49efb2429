import type { FastifyRequest } from 'fastify'
import { validationError } from '../../http/wire/errors/refusals.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { pathWith } from '../components/path-with.ts'

/** Position in a list that is read page by page: the sorted value of the last item, and its id. */
export type ListPosition = { value: number; id: number }

const POSITION = /^(-?\d{1,13})_(\d{1,16})$/
/** Latest time that PostgreSQL and JavaScript both write as `YYYY-MM-DD`, in milliseconds since 1970. */
const MAX_VALUE = Date.parse('9999-12-31')

/**
 * Reads the position after which a page of a list begins.
 *
 * @param max maximum of the sorted value
 * @returns undefined for the first page
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the position is invalid
 */
export function readPosition(request: FastifyRequest, max = MAX_VALUE): ListPosition | undefined {
  const text = queryParameterOf(request, 'after')
  if (text === '') return undefined
  const [, digits, id] = POSITION.exec(text) ?? []
  const position = { value: Number(digits), id: Number(id) }
  if (!(Math.abs(position.value) <= max) || !Number.isSafeInteger(position.id))
    throw validationError([{ field: 'after', code: 'cursor.invalid' }])
  return position
}

/** Renders links to the next page and back to the first one. */
export function positionLinks(
  { messages }: PageContext,
  path: string,
  parameters: URLSearchParams,
  { isFirst, next }: { isFirst: boolean; next: ListPosition | undefined },
): Html | undefined {
  if (isFirst && !next) return undefined
  const { community: texts, browse } = messages
  return html`<nav class="pager" aria-label="${browse.pages}"><ul>
${!isFirst && html`<li><a href="${pathWith(path, parameters, { after: null })}">${texts.first}</a></li>`}
${next && html`<li><a href="${pathWith(path, parameters, { after: `${next.value}_${next.id}` })}" rel="next">${browse.next} →</a></li>`}
</ul></nav>`
}
