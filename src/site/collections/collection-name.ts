import type { Messages } from '../../ui/messages.ts'

/** Stored name of every account's default collection. The API returns it unchanged. */
const DEFAULT_NAME = 'Favourites'

/** Returns a collection's name for a page. The default collection is localized until its owner renames it. */
export const collectionName = (
  { collectionPage: texts }: Messages,
  { name, is_default: isDefault }: { name: string; is_default: boolean },
): string => (isDefault && name === DEFAULT_NAME ? texts.favorites : name)
