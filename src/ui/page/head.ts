import { html, Html } from '../html.ts'
import { LANGUAGES, type Language } from '../../i18n/languages.ts'

/** What a page says of itself to programs: search engines, previews of links, feed readers. */
export type Head = {
  description?: string | undefined
  /** The one address of what the page shows, a path with its query. */
  canonical?: string | undefined
  openGraph?: { type: string; image?: string | undefined } | undefined
  /** Of schema.org. */
  jsonLd?: Record<string, unknown> | undefined
  feeds?: { title: string; href: string }[]
  robots?: 'noindex' | undefined
}

export type HeadOptions = Head & {
  title: string
  language: Language
  /** Where our pages are, without a slash at the end. */
  origin: string
  /** Whether the address names the language: then it is an address of its own. */
  namesLanguage: boolean
}

/** The elements of `<head>` that say it. */
export function headElements({
  description,
  canonical,
  openGraph,
  jsonLd,
  feeds = [],
  robots,
  title,
  language,
  origin,
  namesLanguage,
}: HeadOptions): Html {
  const text = description === undefined ? undefined : shortened(description)
  const address = canonical === undefined ? undefined : origin + canonical
  const own = namesLanguage && address !== undefined ? inLanguage(address, language) : address
  return html`${robots && html`<meta name="robots" content="${robots}">\n`}${
    text && html`<meta name="description" content="${text}">\n`
  }${own && html`<link rel="canonical" href="${own}">\n`}${address && alternates(address)}${feeds.map(
    (feed) =>
      html`<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.href}">\n`,
  )}${
    openGraph &&
    html`<meta property="og:site_name" content="mokuroku">
<meta property="og:type" content="${openGraph.type}">
<meta property="og:title" content="${title}">
${text && html`<meta property="og:description" content="${text}">\n`}${own && html`<meta property="og:url" content="${own}">\n`}${
      openGraph.image !== undefined &&
      html`<meta property="og:image" content="${new URL(openGraph.image, origin).href}">\n`
    }`
  }${jsonLd && jsonLdScript(jsonLd)}`
}

/** Every language has an address of its own by `ui_locales`, and the page without it is the reader's. */
const alternates = (address: string) =>
  html`${LANGUAGES.map(
    (language) =>
      html`<link rel="alternate" hreflang="${language}" href="${inLanguage(address, language)}">\n`,
  )}<link rel="alternate" hreflang="x-default" href="${address}">\n`

const inLanguage = (address: string, language: Language) =>
  `${address}${address.includes('?') ? '&' : '?'}ui_locales=${language}`

/** Engines and previews show no more. */
const MAX_DESCRIPTION = 200

function shortened(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim())
  return characters.length <= MAX_DESCRIPTION
    ? characters.join('')
    : `${characters.slice(0, MAX_DESCRIPTION - 1).join('')}…`
}

/** Data and no script to the policy of pages; without `<` nothing in it can end the element. */
function jsonLdScript(data: Record<string, unknown>): Html {
  const text = JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll(
    '<',
    String.raw`\u003c`,
  )
  return new Html(`<script type="application/ld+json">${text}</script>\n`)
}
