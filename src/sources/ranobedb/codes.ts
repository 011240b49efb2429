import type { PublicationStatus } from '../../catalog/enums.ts'

// Maps RanobeDB's codes to ours.

/** series.publication_status */
export const STATUS: Record<string, PublicationStatus> = {
  ongoing: 'SERIALIZING',
  unknown: 'SERIALIZING',
  completed: 'FINISHED',
  hiatus: 'PAUSED',
  stalled: 'PAUSED',
  cancelled: 'ABANDONED',
}

/** book_staff_alias.role_type in billing order. The rows of a book are unordered. */
export const CREDITS: Record<string, string> = {
  author: 'author',
  artist: 'illustrator',
  editor: 'editor',
  translator: 'translator',
  narrator: 'narrator',
  staff: 'staff',
}

/** release_publisher.publisher_type */
export const IMPRINTS: Record<string, string> = { publisher: 'publisher', imprint: 'bunko' }

/** series_book.book_type, for volumes and side stories. */
export const BOOK_TYPES = ['main', 'sub']

/** release.format */
export const RELEASE_FORMATS = ['print', 'digital', 'audio']

/** release_book.rtype. Trials are skipped. */
export const RELEASE_TYPES = ['complete', 'partial', 'omnibus', 'trial']
