import { findTagsNamedLikeEntries } from '../../browse/tags/queries.ts'
import { conceptOf, isHiddenTag, tagName } from '../../browse/tags/tag-concepts.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import type { Language } from '../../i18n/languages.ts'
import { html, type Html } from '../../ui/html.ts'
import { tagPath } from './tags-view.ts'

/** Returns the tags that describe the content of a work. Names of entries and kinds do not. */
export async function contentTags<Tag extends { name: string }>(
  reads: Reads,
  tags: readonly Tag[],
): Promise<Tag[]> {
  const unknown = tags.map(({ name }) => name).filter((name) => !conceptOf(name))
  const entries = await findTagsNamedLikeEntries(reads, unknown)
  return tags.filter(({ name }) => conceptOf(name) || (!isHiddenTag(name) && !entries.has(name)))
}

/** Renders a tag in the viewer's language as a link to its works. */
export const tagLink = (language: Language, name: string): Html =>
  html`<a href="${tagPath(name)}">${tagName(name, language)}</a>`
