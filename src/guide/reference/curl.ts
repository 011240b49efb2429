import type { ServiceUrls } from '../../site/options.ts'
import { hostOf } from './paths.ts'
import type { ApiOperation, ApiReference } from './document.ts'
import { exampleOf, exampleText } from './example.ts'

/** Quotes a string for a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Returns a curl command for an operation. Path parameters stay as placeholders. */
export function curlOf(
  operation: ApiOperation,
  { schemas }: Pick<ApiReference, 'schemas'>,
  urls: ServiceUrls,
): string {
  const { method, path, parameters, audiences, body } = operation
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.isRequired)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(exampleText(schema, schemas))}`)
    .join('&')
  const target = hostOf(operation, urls) + path + (query === '' ? '' : `?${query}`)
  const isJson = body?.types[0] === 'application/json'
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(target)}`,
    audiences.length > 0 && `-H "Authorization: Bearer $TOKEN"`,
    isJson && "-H 'Content-Type: application/json'",
    isJson && `-d ${shellQuoted(JSON.stringify(exampleOf(body.schema, schemas) ?? {}))}`,
  ]
    .filter((part) => part !== false)
    .join(' \\\n  ')
}
