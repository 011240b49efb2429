import type { Language } from './languages.ts'

/** What a language of BCP 47 is called in one of ours; its tag when nobody knows. */
export function languageName(language: Language, tag: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
