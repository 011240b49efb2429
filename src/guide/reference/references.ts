import type { FastifyInstance } from 'fastify'
import type { Language } from '../../i18n/languages.ts'
import { readLocale } from '../../i18n/locales.ts'
import { readReference, type ApiReference } from './document.ts'
import { translateReference, type ReferenceWords } from './translate.ts'

/**
 * Returns the reference in a language. The first call reads the document, so every route must be registered by then.
 */
export type References = (language: Language) => ApiReference

/** Creates the references for a service's routes. */
export function references(app: FastifyInstance): References {
  let read: ApiReference | undefined
  const translations = new Map<Language, ApiReference>()
  return (language) => {
    read ??= readReference(app.swagger())
    const known = translations.get(language) ?? referenceIn(language, read)
    translations.set(language, known)
    return known
  }
}

/** Translates the English reference. */
export const referenceIn = (language: Language, reference: ApiReference): ApiReference =>
  language === 'en' ? reference : translateReference(reference, wordsIn(language))

// as: a test checks the keys of the file
export const wordsIn = (language: Language) => readLocale(language, 'reference') as ReferenceWords
