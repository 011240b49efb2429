import { readFileSync } from 'node:fs'
import type { Language } from '../i18n/languages.ts'
import type { Messages } from '../ui/messages.ts'
import { readMarkdown, type Block } from './markdown.ts'

export type GuidePageName = keyof Messages['guide']['pages']

/** Pages in reading order. */
export const GUIDE_PAGES: readonly GuidePageName[] = [
  'start',
  'answers',
  'sign-in',
  'device',
  'paging',
  'caching',
  'limits',
  'ratings',
  'changes',
  'webhooks',
  'agents',
  'stability',
  'licences',
  'clients',
]

export const findGuidePage = (name: string): GuidePageName | undefined =>
  GUIDE_PAGES.find((page) => page === name)

export const guidePath = (page: GuidePageName) => `/guide/${page}`

/** Returns the language of a page's text. The page of tested clients exists in English only. */
export const languageOf = (page: GuidePageName, language: Language): Language =>
  page === 'clients' ? 'en' : language

/** Returns a function that reads a page's text, with a cache. */
export function guideTexts(): (page: GuidePageName, language: Language) => Block[] {
  const read = new Map<string, Block[]>()
  return (page, language) => {
    const path = guideFile(page, language)
    const known = read.get(path.href) ?? readMarkdown(readFileSync(path, 'utf8'))
    read.set(path.href, known)
    return known
  }
}

/** Returns the file of a page's text. */
export const guideFile = (page: GuidePageName, language: Language) =>
  page === 'clients'
    ? new URL('../../docs/clients.md', import.meta.url)
    : new URL(`../i18n/locales/${language}/guide/${page}.md`, import.meta.url)
