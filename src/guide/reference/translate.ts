import type { ErrorCode } from '../../http/wire/errors/error-codes.ts'
import type { ApiOperation, ApiReference } from './document.ts'

/** Translated parts of the reference. Descriptions stay in English. */
export type ReferenceWords = {
  /** Names and descriptions, keyed by tag. */
  tags: Record<string, { name: string; text: string }>
  /** Summaries, keyed by operationId. */
  operations: Record<string, string>
  /** Meanings, keyed by error code. */
  errors: Record<ErrorCode, string>
}

/** Translates the summaries, tags and errors of the reference. */
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

const translated = (operation: ApiOperation, texts: ReferenceWords): ApiOperation => ({
  ...operation,
  summary: texts.operations[operation.id] ?? operation.summary,
  tagTitle: texts.tags[operation.tag]?.name ?? operation.tag,
  // Includes English, so that "rating" matches in every language.
  searched: `${operation.searched} ${texts.operations[operation.id] ?? ''} ${texts.tags[operation.tag]?.name ?? ''}`,
})
