import { html, type Html } from '../../ui/html.ts'
import type { ServiceUrls } from '../../site/options.ts'
import type { ApiOperation, ApiReference } from './document.ts'

export const operationPath = ({ id }: ApiOperation) => `/docs/${id}`

/** Renders a path that can break between its segments on a narrow screen. */
export const pathText = ({ path }: ApiOperation): Html =>
  html`${path.split('/').map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`

/** Returns the anchor of a tag on the first page of the reference. */
export const tagAnchor = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '-')

/** Returns the origin of an operation. The user API may have its own (§4.3). */
export const hostOf = ({ path }: ApiOperation, { baseUrl, apiUrl }: ServiceUrls) =>
  path.startsWith('/v3/user/me') ? apiUrl : baseUrl

/** Whether the search text of an operation contains every word. */
function matches(operation: ApiOperation, q: string): boolean {
  const text = searchText(operation)
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Returns the text that the server and the script of the page search. */
export const searchText = ({ searched }: ApiOperation) => searched.toLowerCase()

/** Returns the tags with their matching operations. */
export const filterOperations = ({ tags }: ApiReference, q: string) =>
  tags
    .map((tag) => ({
      ...tag,
      operations: tag.operations.filter((operation) => matches(operation, q)),
    }))
    .filter(({ operations }) => operations.length > 0)
