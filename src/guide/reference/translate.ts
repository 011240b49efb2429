import type { ErrorCode } from '../../http/wire/errors/error-codes.ts'
import { foldText } from '../fold-text.ts'
import type { ApiOperation, ApiReference } from './document.ts'

/** Translated parts of the reference. Descriptions stay in English. */
export type ReferenceWords = {
  /** Names and descriptions, keyed by tag. */
  tags: Record<string, { name: string; text: string }>
  /** Titles, keyed by operationId. */
  operations: Record<string, string>
  /** Meanings, keyed by error code. */
  errors: Record<ErrorCode, string>
}

/** Translates the titles, tags and errors of the reference. */
export function translateReference(reference: ApiReference, texts: ReferenceWords): ApiReference {
  const operations = new Map(
    [...reference.operations.values()].map((operation) => [
      operation.id,
      translated(operation, texts),
    ]),
  )
  return {
    ...reference,
    operations,
    meanings: new Map(Object.entries(texts.errors)),
    tags: reference.tags.map((tag) => {
      const { name: title, text: description } = texts.tags[tag.name] ?? {
        name: tag.title,
        text: tag.description,
      }
      return {
        ...tag,
        title,
        description,
        operations: tag.operations
          .map(({ id }) => operations.get(id))
          .filter((item) => item !== undefined),
      }
    }),
  }
}

function translated(operation: ApiOperation, texts: ReferenceWords): ApiOperation {
  const title = texts.operations[operation.id]
  const tagTitle = texts.tags[operation.tag]?.name ?? operation.tag
  return {
    ...operation,
    ...(title !== undefined && { title, summary: '' }),
    tagTitle,
    // Includes English, so that "rating" matches in every language.
    searched: `${operation.searched} ${foldText(`${title ?? ''} ${tagTitle}`)}`,
  }
}
