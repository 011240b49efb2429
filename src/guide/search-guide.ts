import type { Language } from '../i18n/languages.ts'
import { containsWords, foldText } from './fold-text.ts'
import { GUIDE_PAGES, guidePath, languageOf, type GuidePageName } from './guide-pages.ts'
import { withoutMarkup, type Block } from './markdown.ts'

/** Maximum number of sections found. */
const MAX_FOUND = 12
const EXCERPT_LENGTH = 160

/** Section of a page, from a heading to the next. */
type Section = {
  page: GuidePageName
  language: Language
  href: string
  /** Undefined for the introduction of a page. */
  heading: string | undefined
  excerpt: string
  folded: string
  foldedHeading: string
}

export type FoundSection = Pick<Section, 'page' | 'language' | 'href' | 'heading' | 'excerpt'>

/** Returns the text of a block without markup. */
function textOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
    case 'code':
      return block.text
    case 'list':
      return block.items.join(' ')
    case 'table':
      return [block.head, ...block.rows].flat().join(' ')
    case 'made':
      return ''
  }
}

function sectionsOf(page: GuidePageName, language: Language, blocks: Block[]): Section[] {
  const sections: Section[] = []
  let current: Block[] = []
  const close = () => {
    const [first] = current
    if (!first) return
    const isPart = first.kind === 'heading' && first.level > 1
    const lead = current.find(({ kind }) => kind === 'paragraph' || kind === 'list')
    sections.push({
      page,
      language,
      href: guidePath(page) + (isPart ? `#${first.id}` : ''),
      heading: isPart ? first.text.replaceAll('`', '') : undefined,
      excerpt: lead ? excerptOf(textOf(lead)) : '',
      folded: foldText(current.map(textOf).join(' ')),
      foldedHeading: first.kind === 'heading' ? foldText(first.text) : '',
    })
    current = []
  }
  for (const block of blocks) {
    if (block.kind === 'heading') close()
    current.push(block)
  }
  close()
  return sections
}

/** Shortens a text, without markup and link targets. */
function excerptOf(text: string): string {
  const plain = withoutMarkup(text)
  return plain.length > EXCERPT_LENGTH ? `${plain.slice(0, EXCERPT_LENGTH).toWellFormed()}…` : plain
}

/**
 * Creates the search in the texts of the guide. Sections are read on the first search in a language.
 *
 * @param textsOf returns a page's text
 */
export function guideSearch(textsOf: (page: GuidePageName, language: Language) => Block[]) {
  const known = new Map<Language, Section[]>()
  return (q: string, language: Language): FoundSection[] => {
    const query = foldText(q)
    if (query === '') return []
    const sections =
      known.get(language) ??
      GUIDE_PAGES.flatMap((page) =>
        sectionsOf(page, languageOf(page, language), textsOf(page, language)),
      )
    known.set(language, sections)
    const isInHeading = ({ foldedHeading }: Section) => Number(containsWords(foldedHeading, query))
    return sections
      .filter(({ folded }) => containsWords(folded, query))
      .toSorted((one, other) => isInHeading(other) - isInHeading(one))
      .slice(0, MAX_FOUND)
  }
}

export type GuideSearch = ReturnType<typeof guideSearch>
