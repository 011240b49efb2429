import { parse } from 'node:path'
import { ConfigError, LEGAL_PAGES, type Config, type LegalPageName } from '../config/config.ts'
import { LANGUAGES, type Language } from '../i18n/languages.ts'
import { errorCode } from '../kernel/error-code.ts'
import { Html } from '../ui/html.ts'
import { readWithin } from './read-within.ts'

/** Maximum bytes of a Markdown file. */
const MAX_BYTES = 256 * 1_024

/** Text of a legal page in one language. */
export type LegalText = {
  language: Language
  /** The first heading, if the text begins with one of the first level. It is not part of `body`. */
  title: string | undefined
  body: Html
}

export type LegalPages = ReadonlyMap<LegalPageName, ReadonlyMap<Language, LegalText>>

/**
 * Reads and renders the files of the legal pages.
 *
 * @throws {ConfigError} if a file cannot be read
 */
export async function readLegalPages({
  legalFiles,
  defaultLanguage,
}: Pick<Config, 'legalFiles' | 'defaultLanguage'>): Promise<LegalPages> {
  const pages = new Map<LegalPageName, ReadonlyMap<Language, LegalText>>()
  for (const name of LEGAL_PAGES) {
    const path = legalFiles[name]
    if (path !== undefined) pages.set(name, await readTexts(name, path, defaultLanguage))
  }
  return pages
}

async function readTexts(name: LegalPageName, path: string, defaultLanguage: Language) {
  const { render } = await import('./render-markdown.ts')
  const read = async (file: string) => {
    try {
      const bytes = await readWithin(file, MAX_BYTES)
      return render(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ConfigError(
        `${name.toUpperCase()}_FILE needs ${JSON.stringify(file)}, which cannot be read: ${reason}.`,
        { cause: error },
      )
    }
  }
  const texts = new Map<Language, LegalText>()
  texts.set(defaultLanguage, { language: defaultLanguage, ...(await read(path)) })
  const { dir, name: base, ext } = parse(path)
  for (const language of LANGUAGES) {
    const translation = await read(`${dir}/${base}.${language}${ext}`).catch((error: unknown) => {
      if (error instanceof ConfigError && errorCode(error.cause) === 'ENOENT') return undefined
      throw error
    })
    if (translation) texts.set(language, { language, ...translation })
  }
  return texts
}
