import type { EntrySummary } from '../../../browse/summary.ts'
import { isHiddenTag, tagName } from '../../../browse/tags/tag-concepts.ts'
import type { Language } from '../../../i18n/languages.ts'
import type { CommonTraits } from '../../../similar/queries.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { shownNames } from '../../components/titles.ts'

/** A similar work, the reason as in the API, and what both works have in common. */
export type SimilarEntry = {
  reason: 'READERS' | 'SERIES' | 'STAFF' | 'TAGS' | 'PRODUCER'
  work: EntrySummary
  traits: CommonTraits | undefined
}

/** Separators of names. `Intl.ListFormat` uses spaces in narrow lists, or adds an "and". */
const SEPARATORS: Record<Language, string> = {
  en: ', ',
  ja: '、',
  'zh-Hans': '、',
  'zh-Hant': '、',
  ko: ', ',
}

/** Maximum number of tags that are named. */
const MAX_NAMED_TAGS = 3

/** Describes why a work is similar, such as `3 shared tags: Romance, School, Time travel`. */
export function similarReason(
  context: Pick<PageContext, 'language' | 'titlePreference' | 'messages'>,
  { reason, traits }: Omit<SimilarEntry, 'work'>,
): string {
  const { similarReasons: texts } = context.messages.entry
  const listed = (names: string[]) => names.join(SEPARATORS[context.language])
  const makers = (traits?.makers ?? []).map((maker) => shownNames(context, maker)[0].text)
  switch (reason) {
    case 'READERS':
      return texts.users
    case 'SERIES':
      return texts.series
    case 'STAFF':
      return makers.length > 0 ? texts.staff({ names: listed(makers) }) : texts.anyStaff
    case 'PRODUCER':
      return makers.length > 0 ? texts.producer({ names: listed(makers) }) : texts.anyProducer
    case 'TAGS': {
      const tags = new Set(
        (traits?.tags ?? [])
          .filter((tag) => !isHiddenTag(tag))
          .map((tag) => tagName(tag, context.language)),
      )
      if (tags.size === 0) return texts.anyTags
      const names = listed([...tags].slice(0, MAX_NAMED_TAGS))
      return texts.tags({ amount: tags.size, names })
    }
  }
}
