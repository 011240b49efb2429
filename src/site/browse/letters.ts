import type { ListRequest } from '../../browse/lists/page-statements.ts'
import type { Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { chips } from '../components/chips.ts'
import { pathWith } from '../components/path-with.ts'
import type { ListPageQuery } from './list-query.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
/** First character after the letters. Folded names have no leading punctuation. */
const AFTER_LETTERS = '{'

/** Ranges of folded names, keyed by the value of the parameter `starts`. */
const RANGES = new Map<string, NonNullable<ListRequest['names']>>([
  ['0', { from: '', to: 'a' }],
  ...LETTERS.map(
    (letter, index) => [letter, { from: letter, to: LETTERS[index + 1] ?? AFTER_LETTERS }] as const,
  ),
  ['other', { from: AFTER_LETTERS, to: undefined }],
])

/** Returns the range of names of a list that begins with a letter. Only lists sorted by name have one. */
export const nameRangeOf = ({ parameters, sort }: ListPageQuery): ListRequest['names'] =>
  sort === 'name' ? RANGES.get(parameters.get('starts') ?? '') : undefined

export const letterName = ({ messages }: PageContext, value: string): string =>
  value === '0' ? '0–9' : value === 'other' ? messages.browse.otherLetters : value.toUpperCase()

/** Renders links to the names that begin with each letter. */
export const letterLinks = (
  context: PageContext,
  path: string,
  { parameters }: ListPageQuery,
): Html =>
  chips(
    context.messages.browse.letters,
    [...RANGES.keys()].map((value) => ({
      href: pathWith(path, parameters, { sort: 'name', starts: value, page: null }),
      text: letterName(context, value),
      isCurrent: parameters.get('starts') === value,
    })),
    'letters',
  )
