import type { WorkKind } from '../../../catalog/kinds.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { titleLanguage } from '../../components/title-language.ts'
import { shownTitles, type ShownTitle } from '../../components/titles.ts'
import type { PictureMedia } from '../../pictures/picture.ts'
import type { WorkData } from '../entry-data.ts'
import { stripBBCode } from '../texts.ts'

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
  links: { label: string; name?: string; url: string }[]
  aliases: string[]
  madeBy: string | null
}

export function toShownWork({ language }: PageContext, { kind, data }: WorkData): ShownWork {
  const isGame = kind === 'galgame'
  const original = isGame ? data.origin_title : data.name
  const translated = (isGame ? data.trans_title : data.name_cn) || null
  const english = (isGame && data.en_title) || null
  const pair = shownTitles(language, { title: translated ?? original, original_title: original })
  const all: ShownTitle[] = pair.filter((title) => title !== undefined)
  if (english && all.every(({ text }) => text !== english)) {
    const title = { text: english, lang: 'en' }
    if (title.lang === language) all.unshift(title)
    else all.push(title)
  }
  const [first = pair[0], ...others] = all
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
    titles: [first, ...others],
    covers: data.covers,
    screenshots: isGame ? data.images : [],
    date: isGame ? data.release_date : data.publication_date,
    texts,
    tags: data.tags,
    links: data.external_links.filter(({ url }) => /^https?:\/\//.test(url)),
    aliases: isGame ? data.aliases : data.other_names,
    madeBy: isGame ? data.developer : null,
  }
}

/** Returns the distinct descriptions without BBCode, starting with the one in the viewer's language. */
export function textsOf(
  language: string,
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
  const isWanted = ({ lang }: ShownTitle) => (lang ?? 'en') === language
  return texts.toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)))
}
