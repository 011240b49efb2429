/** Length of profile names (decision 0023). */
export const PROFILE_NAME_LENGTH = { min: 3, max: 32 }

/** Letters and digits with single hyphens. A name starts with a letter, so that it cannot be confused with an id. */
const NAME = /^[a-z](?:-?[a-z0-9])*$/

/** Names that could be mistaken for paths of the site or for its staff. */
const RESERVED = [
  'about',
  'account',
  'admin',
  'administrator',
  'api',
  'console',
  'desk',
  'docs',
  'everyone',
  'feed',
  'guide',
  'help',
  'info',
  'library',
  'login',
  'mail',
  'me',
  'moderator',
  'mokuroku',
  'new',
  'nobody',
  'null',
  'official',
  'operator',
  'postmaster',
  'privacy',
  'profile',
  'report',
  'reviews',
  'root',
  'security',
  'settings',
  'staff',
  'statistics',
  'support',
  'system',
  'team',
  'terms',
  'undefined',
  'user',
  'webmaster',
]

export type NameFault = 'name_invalid' | 'name_reserved'

/**
 * Normalizes and validates a name. Only ASCII letters are allowed, because letters of other scripts can resemble them.
 */
export function readProfileName(text: string): { name: string } | { fault: NameFault } {
  const name = normalizeProfileName(text.trim())
  const { min, max } = PROFILE_NAME_LENGTH
  if (name.length < min || name.length > max || !NAME.test(name)) return { fault: 'name_invalid' }
  return RESERVED_KEYS.has(foldProfileName(name)) ? { fault: 'name_reserved' } : { name }
}

export const normalizeProfileName = (text: string) => text.normalize('NFKC').toLowerCase()

/** Returns the key by which names must be unique. It has no hyphens, and look-alike characters are unified. */
export const foldProfileName = (name: string) =>
  name
    .replaceAll('-', '')
    .replaceAll('0', 'o')
    .replaceAll(/[1l]/g, 'i')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

const RESERVED_KEYS = new Set(RESERVED.map(foldProfileName))
