import type { FastifyRequest } from 'fastify'
import type { Language } from '../../i18n/languages.ts'
import { titlePreferenceFromCookies } from '../title-preference.ts'
import type { NearEntry, PageViewer } from './site.ts'

/** Minimum and maximum length, in characters, of a name to search for. */
const MIN_LENGTH = 2
const MAX_LENGTH = 60

/**
 * Finds entries whose names resemble the last part of the path. Numbers and file names match none.
 */
export async function findNearest(
  { url, method, headers, ip, throttleWindow, server }: FastifyRequest,
  viewer: PageViewer | undefined,
  language: Language,
): Promise<readonly NearEntry[]> {
  const titlePreference = viewer?.titles ?? titlePreferenceFromCookies(headers.cookie)
  const place = method === 'GET' ? lastPartOf(url) : ''
  if (place.length < MIN_LENGTH || place.length > MAX_LENGTH || !/\p{L}/u.test(place)) return []
  const missing = { place, uncounted: throttleWindow ? undefined : ip }
  return (await server.site?.findNearest(missing, viewer, { language, titlePreference })) ?? []
}

function lastPartOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const part = path.split('/').findLast((other) => other !== '') ?? ''
  try {
    return part.includes('.')
      ? ''
      : decodeURIComponent(part)
          .replaceAll(/[-_+]+/g, ' ')
          .trim()
  } catch {
    // The path is not encoded as UTF-8.
    return ''
  }
}
