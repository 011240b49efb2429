import { latinName } from '../../../i18n/latin-name.ts'
import type { InfoboxReader } from './infobox-reader.ts'

/** Labels of aliases, as editors of the wiki write them. */
const ENGLISH_LABEL = /^(?:英|en)/i
const ROMAJI_LABEL = /^(?:罗马|羅馬|ローマ|romaji)/i
const KOREAN_LABEL = /^(?:韩|韓|ko)/i

type LocalizedTitles = Record<'english' | 'romaji' | 'korean', string | undefined>

/**
 * Returns the English, romaji and Korean titles among a work's aliases. Without a labeled romaji title, an alias in
 * Latin letters without a label counts as one, unless the title itself is in Latin letters.
 */
export function localizedTitles(infobox: InfoboxReader, title: string): LocalizedTitles {
  const aliases = infobox.items('别名')
  const labeled = (pattern: RegExp) => aliases.find(({ label }) => pattern.test(label))?.value
  const unlabeled = aliases.flatMap(({ label, value }) => (label === '' ? [value] : []))
  return {
    english: labeled(ENGLISH_LABEL),
    romaji: labeled(ROMAJI_LABEL) ?? latinName(title, unlabeled),
    korean: labeled(KOREAN_LABEL),
  }
}
