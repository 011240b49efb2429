import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Language } from '../../../i18n/languages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { titleLanguage } from '../../components/title-language.ts'
import { otherTitles, shownNames, type ShownTitle } from '../../components/titles.ts'
import type { PictureMedia } from '../../pictures/picture.ts'
import type { Credit, WorkData } from '../entry-data.ts'
import { stripBBCode } from '../texts.ts'
import type { SourceScores } from './source-scores-view.ts'

/** Data that a page needs about any of the three kinds of works, in the viewer's language. */
export type ShownWork = {
  kind: WorkKind
  id: number
  /** The first is the page's main title. */
  titles: [ShownTitle, ...ShownTitle[]]
  covers: PictureMedia[]
  screenshots: PictureMedia[]
  date: string | null
  /** The description in the viewer's language comes first. */
  texts: ShownTitle[]
  tags: { name: string; likes: number }[]
  /** Tags that are spoilers, minor ones first. */
  spoilerTags: { name: string; level: number }[]
  links: { label: string; name?: string; url: string }[]
  aliases: string[]
  madeBy: string | null
  sourceScores: SourceScores
}

/** @param producers credits among which the developer is found under other names */
export function toShownWork(
  context: PageContext,
  { kind, data }: WorkData,
  producers: Credit[] = [],
): ShownWork {
  const { language } = context
  const isGame = kind === 'galgame'
  const original = isGame ? data.origin_title : data.name
  const translated = (isGame ? data.trans_title : data.name_cn) || null
  const localized = isGame
    ? { en_title: data.en_title, romaji_title: data.romaji_title, ko_title: data.ko_title }
    : { en_title: data.en_name, romaji_title: data.romaji_name, ko_title: data.ko_name }
  const [main, other] = shownNames(context, {
    name: original,
    trans_name: translated,
    ...localized,
  })
  const titles: ShownWork['titles'] = other ? [main, other] : [main]
  const aliases = otherTitles(titles, [
    original,
    translated,
    ...Object.values(localized),
    ...(isGame ? data.aliases : data.other_names),
  ])
  const texts = textsOf(
    language,
    isGame
      ? [
          [data.origin_intro, undefined],
          [data.trans_intro, 'zh-Hans'],
          [data.en_intro, 'en'],
        ]
      : [
          [data.summary, undefined],
          [data.summary_cn, 'zh-Hans'],
        ],
  )
  return {
    kind,
    id: data.id,
    titles,
    covers: data.covers,
    screenshots: isGame ? data.images : [],
    date: isGame ? data.release_date : data.publication_date,
    texts,
    tags: data.tags,
    spoilerTags: isGame ? data.spoiler_tags.toSorted((a, b) => a.level - b.level) : [],
    links: data.external_links.filter(({ url }) => /^https?:\/\//.test(url)),
    aliases,
    madeBy: isGame ? developerOf(context, data.developer, producers) : null,
    sourceScores: data.source_scores,
  }
}

function developerOf(context: PageContext, developer: string | null, producers: Credit[]) {
  const credit = producers.find(({ target }) => target.name === developer)
  return credit ? shownNames(context, credit.target)[0].text : developer
}

/** Languages of the descriptions to show first, per page language, in order of preference. */
const DESCRIPTIONS: Record<Language, readonly string[]> = {
  en: ['en'],
  ja: ['ja'],
  ko: ['ko', 'en'],
  'zh-Hans': ['zh-Hans'],
  'zh-Hant': ['zh-Hant', 'zh-Hans'],
}

/** Returns the distinct descriptions without BBCode, starting with the one that the viewer most likely reads. */
export function textsOf(
  language: Language,
  given: [text: string | null | undefined, lang: string | undefined][],
): ShownTitle[] {
  const texts = given
    .map(([text, lang]) => {
      const plain = stripBBCode(text ?? '')
      return { text: plain, lang: lang ?? titleLanguage(plain, false) }
    })
    .filter(
      ({ text }, index, all) =>
        text !== '' && all.findIndex((other) => other.text === text) === index,
    )
  const preferred = DESCRIPTIONS[language]
  const rank = ({ lang = 'en' }: ShownTitle) =>
    preferred.includes(lang) ? preferred.indexOf(lang) : preferred.length
  return texts.toSorted((one, other) => rank(one) - rank(other))
}
