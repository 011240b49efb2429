import type { ApiOperation, ApiReference } from './document.ts'
import type { ReferenceWords } from './words/reference-words.ts'

/**
 * The reference in another language. English is what the document says, and what there are no words for stays as it is.
 */
export function translateReference(reference: ApiReference, words: ReferenceWords): ApiReference {
  const operations = new Map(
    [...reference.operations.values()].map((operation) => [operation.id, translated(operation, words)]),
  )
  const texts = new Map(words.texts.flatMap((table) => Object.entries(table)))
  return {
    ...reference,
    operations,
    translate: (text) => texts.get(text) ?? text,
    tags: reference.tags.map((tag) => {
      const { name: title, text: description } = words.tags[tag.name] ?? {
        name: tag.title,
        text: tag.description,
      }
      return {
        ...tag,
        title,
        description,
        operations: tag.operations.map(({ id }) => operations.get(id)).filter((one) => one !== undefined),
      }
    }),
  }
}

const translated = (operation: ApiOperation, words: ReferenceWords): ApiOperation => ({
  ...operation,
  summary: words.operations[operation.id] ?? operation.summary,
  tagTitle: words.tags[operation.tag]?.name ?? operation.tag,
  // Of both languages: who looks for "rating" finds it on any page.
  searched: `${operation.searched} ${words.operations[operation.id] ?? ''} ${words.tags[operation.tag]?.name ?? ''}`,
})
