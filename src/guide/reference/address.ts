import { html, type Html } from '../../ui/html.ts'
import type { ServiceUrls } from '../../site/options.ts'
import type { ApiOperation, ApiReference } from './document.ts'

export const operationAddress = ({ id }: ApiOperation) => `/docs/${id}`

/** A path that breaks between its parts on a narrow screen. */
export const pathText = ({ path }: ApiOperation): Html =>
  html`${path.split('/').map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`

/** The anchor of a part of the API on the first page of the reference. */
export const tagAnchor = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '-')

/** The host that an operation is at: the user API may have its own (§4.3). */
export const hostOf = ({ path }: ApiOperation, { baseUrl, apiUrl }: ServiceUrls) =>
  path.startsWith('/v3/user/me') ? apiUrl : baseUrl

/** Whether an operation has every one of the words, in what is said of it. */
function matches(operation: ApiOperation, q: string): boolean {
  const text = searchText(operation)
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** What a filter looks through; the script of the page does too. */
export const searchText = ({ searched }: ApiOperation) => searched.toLowerCase()

/** The operations of each part that match. */
export const narrow = ({ tags }: ApiReference, q: string) =>
  tags
    .map((tag) => ({
      ...tag,
      operations: tag.operations.filter((operation) => matches(operation, q)),
    }))
    .filter(({ operations }) => operations.length > 0)
