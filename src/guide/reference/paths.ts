import { html, type Html } from '../../ui/html.ts'
import type { ServiceUrls } from '../../site/options.ts'
import { containsWords, foldText } from '../fold-text.ts'
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

/** Returns the tags with their matching operations. */
export const filterOperations = ({ tags }: ApiReference, q: string) => {
  const query = foldText(q)
  return tags
    .map((tag) => ({
      ...tag,
      operations: tag.operations.filter(({ searched }) => containsWords(searched, query)),
    }))
    .filter(({ operations }) => operations.length > 0)
}
