import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../../catalog/kinds.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { refererPath } from '../../ui/forms/return-path.ts'
import { localPath } from '../../ui/local-path.ts'
import { pathWith } from '../components/path-with.ts'
import { CHANGED_PARAMETER, workPath } from './change-notice.ts'

/** Pages with cards, whose links lead to a rating form without naming the page to return to. */
const CARD_PAGES =
  /^\/(?:$|search\?|tags\?|collections\/|u\/|(?:galgames|light-novels|mangas|people|producers|characters)(?:[/?]|$))/

/** Pages that confirm a change and offer to undo it. */
export const CONFIRMING_PAGES = /^\/(?:$|library(?:[/?]|$)|(?:galgames|light-novels|mangas)\/\d+)/

/** Returns the path that the form names, or the page with the card that led to it, always on this host. */
export function returnPath(request: FastifyRequest): string {
  const named = fieldOf(request, 'back') || queryParameterOf(request, 'back')
  const referer = refererPath(request, '/library')
  const path = named || (CARD_PAGES.test(referer) ? referer : '/library')
  return localPath(path, [CHANGED_PARAMETER])
}

/** Returns the path of a page that confirms a change to a rating. */
export const confirmationPath = (
  path: string,
  { kind, workId: id }: { kind: WorkKind; workId: number },
): string => withChange(path, workPath({ kind, id }))

export function withChange(target: string, done: string): string {
  if (!CONFIRMING_PAGES.test(target)) return target
  const [path = '', query = ''] = target.split('?')
  return pathWith(path, new URLSearchParams(query), { [CHANGED_PARAMETER]: done })
}
