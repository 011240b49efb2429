import type { Messages } from '../messages.ts'

/** Explains an error when only its HTTP status is known. */
export function explainStatus(
  status: number,
  words: Messages['error'],
): { title?: string; text: string } {
  if (status === 404 || status === 405) return { title: words.notFoundTitle, text: words.notFound }
  if (status === 413) return { text: words.tooLarge }
  if (status === 429) return { title: words.tooManyTitle, text: words.tooMany }
  if (status === 503) return { title: words.unavailableTitle, text: words.unavailable }
  if (status >= 500) return { text: words.unexpected }
  if (status === 401 || status === 403) return { text: words.refused }
  return { text: words.unreadable }
}
