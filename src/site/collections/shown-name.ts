import type { Messages } from '../../ui/messages.ts'

/** The name of the collection that every account begins with; it stays so in what is stored and in the API. */
const FIRST_NAME = 'Favourites'

/** What a collection is called on a page: an owner's first one in the language of the page, until they give it a name of their own. */
export const shownName = (
  { collectionPage: words }: Messages,
  { name, is_default: isDefault }: { name: string; is_default: boolean },
): string => (isDefault && name === FIRST_NAME ? words.favourites : name)
