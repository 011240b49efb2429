import { html, Html } from '../html.ts'
import { LANGUAGES, type Language } from '../../i18n/languages.ts'

/** Metadata for search engines, link previews and feed readers. */
export type Head = {
  description?: string | undefined
  /** Canonical path and query of the page. */
  canonical?: string | undefined
  openGraph?: { type: string; image?: string | undefined } | undefined
  /** Structured data in the vocabulary of schema.org. */
  jsonLd?: Record<string, unknown> | undefined
  feeds?: { title: string; href: string }[]
  robots?: 'noindex' | undefined
}

export type HeadOptions = Head & {
  title: string
  siteName: string
  language: Language
  /** Origin of the pages, without a trailing slash. */
  origin: string
  /** Whether the URL names a language. Such a URL is canonical for that language. */
  namesLanguage: boolean
  /** Picture in link previews of pages without one; undefined to show none. */
  shareImage: string | undefined
}

/** Renders the metadata as elements of `<head>`. */
export function headElements({
  description,
  canonical,
  openGraph,
  jsonLd,
  feeds = [],
  robots,
  title,
  siteName,
  language,
  origin,
  namesLanguage,
  shareImage,
}: HeadOptions): Html {
  const text = description === undefined ? undefined : shortened(description)
  const url = canonical === undefined ? undefined : origin + canonical
  const image = openGraph?.image ?? shareImage
  const own = namesLanguage && url !== undefined ? inLanguage(url, language) : url
  return html`${robots && html`<meta name="robots" content="${robots}">\n`}${
    text && html`<meta name="description" content="${text}">\n`
  }${own && html`<link rel="canonical" href="${own}">\n`}${url && alternates(url)}${feeds.map(
    (feed) =>
      html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.href}">\n`,
  )}${
    openGraph &&
    html`<meta property="og:site_name" content="${siteName}">
<meta property="og:type" content="${openGraph.type}">
<meta property="og:title" content="${title}">
${text && html`<meta property="og:description" content="${text}">\n`}${own && html`<meta property="og:url" content="${own}">\n`}${
      image !== undefined &&
      html`<meta property="og:image" content="${new URL(image, origin).href}">\n`
    }`
  }${jsonLd && jsonLdScript(jsonLd)}`
}

/** Each language has its own URL with `ui_locales`. The URL without it adapts to the viewer. */
const alternates = (url: string) =>
  html`${LANGUAGES.map(
    (language) =>
      html`<link rel="alternate" hreflang="${language}" href="${inLanguage(url, language)}">\n`,
  )}<link rel="alternate" hreflang="x-default" href="${url}">\n`

const inLanguage = (url: string, language: Language) =>
  `${url}${url.includes('?') ? '&' : '?'}ui_locales=${language}`

/** Maximum number of characters that search engines and link previews show. */
const MAX_DESCRIPTION = 200

function shortened(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim())
  return characters.length <= MAX_DESCRIPTION
    ? characters.join('')
    : `${characters.slice(0, MAX_DESCRIPTION - 1).join('')}…`
}

/**
 * The content security policy treats this as data, not as a script. Without `<`, no value can end the element.
 */
function jsonLdScript(data: Record<string, unknown>): Html {
  const text = JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll(
    '<',
    String.raw`\u003c`,
  )
  return new Html(`<script type="application/ld+json">${text}</script>\n`)
}
