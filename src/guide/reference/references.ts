import type { FastifyInstance } from 'fastify'
import type { Language } from '../../i18n/languages.ts'
import { readReference, type ApiReference } from './document.ts'
import { translateReference, type ReferenceWords } from './translate.ts'

/** Files of their own in the built program, read when somebody asks in their language. */
const WORDS: Partial<Record<Language, () => Promise<ReferenceWords>>> = {
  ja: async () => (await import('./words/ja.json', { with: { type: 'json' } })).default,
  'zh-Hans': async () => (await import('./words/zh-Hans.json', { with: { type: 'json' } })).default,
}

/** The reference in a language, made when it is first asked for: before that not every route is there. */
export type References = (language: Language) => Promise<ApiReference>

/** The reference of the API that the routes of a service make. */
export function references(app: FastifyInstance): References {
  let read: ApiReference | undefined
  const translations = new Map<Language, Promise<ApiReference>>()
  return (language) => {
    read ??= readReference(app.swagger())
    const known = translations.get(language) ?? referenceIn(language, read)
    translations.set(language, known)
    return known
  }
}

/** @param reference in English, as the document is */
export async function referenceIn(
  language: Language,
  reference: ApiReference,
): Promise<ApiReference> {
  const words = await WORDS[language]?.()
  return words ? translateReference(reference, words) : reference
}
