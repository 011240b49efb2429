import {
  conceptOf,
  hiddenNames,
  isHiddenTag,
  TAG_GROUPS,
  tagName,
} from '../../browse/tags/tag-concepts.ts'
import { distinctBy } from '../../kernel/distinct-by.ts'
import type { Language } from '../../i18n/languages.ts'
import type { Chip } from '../components/chips.ts'
import { tagPath } from './tags-view.ts'

/**
 * Returns the chips of a work's tags in the viewer's language. Tags with the same meaning are joined, those with a
 * known meaning come first, by group, and tags that say nothing about the work are omitted.
 *
 * @param names names on the page, such as those of the work and its makers, which tags only repeat
 */
export function workTagChips(
  language: Language,
  tags: readonly { name: string }[],
  names: readonly string[],
): Chip[] {
  const repeated = hiddenNames(names)
  const groupOf = (tag: string) => {
    const concept = conceptOf(tag)
    return concept ? TAG_GROUPS.indexOf(concept.group) : TAG_GROUPS.length
  }
  const shown = tags.map(({ name }) => name).filter((name) => !isHiddenTag(name, repeated))
  return distinctBy(
    shown.toSorted((a, b) => groupOf(a) - groupOf(b)),
    (name) => tagName(name, language),
  ).map((name) => ({
    href: tagPath(conceptOf(name)?.names.en ?? name),
    text: tagName(name, language),
  }))
}
