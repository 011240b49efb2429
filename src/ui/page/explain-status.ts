import type { Messages } from '../messages.ts'

/** Explains an error when only its HTTP status is known. */
export function explainStatus(
  status: number,
  texts: Messages['error'],
): { title?: string; text: string } {
  if (status === 404 || status === 405) return { title: texts.notFoundTitle, text: texts.notFound }
  if (status === 413) return { text: texts.tooLarge }
  if (status === 429) return { title: texts.tooManyTitle, text: texts.tooMany }
  if (status === 503) return { title: texts.unavailableTitle, text: texts.unavailable }
  if (status >= 500) return { text: texts.unexpected }
  if (status === 401 || status === 403) return { text: texts.refused }
  return { text: texts.unreadable }
}
