import type { Messages } from '../../../pages/messages/en.ts'

type TagWords = { name: string; text: string }

/** What a part of the API is called and what it is about; undefined: the document alone says it, in English. */
export const findTagWords = (messages: Messages, tag: string): TagWords | undefined => {
  const words: Record<string, TagWords> = messages.reference.tags
  return Object.hasOwn(words, tag) ? words[tag] : undefined
}

export const tagNameOf = (messages: Messages, tag: string): string => findTagWords(messages, tag)?.name ?? tag
