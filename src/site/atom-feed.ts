import { escapeXml } from '../ui/xml.ts'

type AtomEntry = {
  id: string
  title: string
  link: string
  /** URL of the work that the entry is about, if `link` leads elsewhere. */
  related?: string
  published?: Date
  updated: Date
  category: string
  summary?: string
  content?: string
}

type AtomFeed = {
  id: string
  language: string
  title: string
  /** URL of the feed; undefined if it contains a secret. */
  self?: string
  /** URL of the page with the same content. */
  page: string
  author: { name: string; uri?: string }
  entries: AtomEntry[]
}

/** Renders a feed (RFC 4287). */
export function atomFeed({ id, language, title, self, page, author, entries }: AtomFeed): string {
  const latest = Math.max(0, ...entries.map(({ updated }) => updated.getTime()))
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${id}</id>${element('title', title)}
${self === undefined ? '' : `<link rel="self" href="${self}"/>`}<link href="${page}"/>
<author>${element('name', author.name)}${element('uri', author.uri)}</author>${element('updated', new Date(latest).toISOString())}
${entries.map(entryElement).join('')}</feed>
`
}

const entryElement = ({ id, link, related, category, ...entry }: AtomEntry) =>
  `<entry><id>${id}</id>${element('title', entry.title)}<link href="${link}"/>${related === undefined ? '' : `<link rel="related" href="${related}"/>`}
${element('published', entry.published?.toISOString())}${element('updated', entry.updated.toISOString())}
<category term="${category}"/>${element('summary', entry.summary)}${element('content', entry.content, ' type="text"')}</entry>
`

const element = (name: string, text: string | undefined, attributes = '') =>
  text === undefined ? '' : `<${name}${attributes}>${escapeXml(text)}</${name}>`
