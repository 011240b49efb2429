import { pageFooter, pageHeader } from './frame.ts'
import { headElements, type Head } from './head.ts'
import { focusRefusal } from '../forms/focus-refusal.ts'
import { Html, html } from '../html.ts'
import type { Language } from '../../i18n/languages.ts'
import type { Messages } from '../messages.ts'
import type { PageReader, Site } from './site.ts'
import type { Theme } from './theme.ts'

/** What a view makes of its data: `title` stands in the browser's tab, `body` inside `<main>`. */
export type View = {
  title: string
  body: Html
  /** Addresses of scripts, run in this order when the page is there. */
  scripts?: string[]
  /** Stylesheets of `assets/` beside the one of all pages, by their names. */
  styles?: string[]
  head?: Head
  /** What stands in the search box of the header. */
  query?: string
  /** The page has a search box of its own, in the place of the header's. */
  ownSearch?: boolean
}

export type PageOptions = View & {
  language: Language
  messages: Messages
  /** Path and query of this page, for the links to it in other languages; missing: there are none. */
  path?: string | undefined
  /** For tables and lists; else the page is one narrow card. */
  wide?: boolean
  /** No card at all: a page of the catalog. */
  full?: boolean
  theme?: Theme
  reader?: PageReader | undefined
  site?: Site | undefined
  /** Where our pages are. */
  origin?: string
}

const SCRIPT = /^\/assets\/([\w.-]+)$/

/** A whole HTML document. */
export function renderPage(options: PageOptions): string {
  const {
    language,
    title,
    body,
    path,
    site,
    theme = 'auto',
    origin = '',
    head,
    scripts = [],
    styles = [],
  } = options
  const { wide = false, full = false } = options
  const assetAddress = (name: string) => site?.assetAddress(name) ?? `/assets/${name}`
  const frame = {
    language,
    messages: options.messages,
    theme,
    path,
    reader: options.reader,
    query: options.query,
    hasSearch: !(options.ownSearch ?? false),
    // Beside what they are the sources of. A page of an account, whose address may hold a token, leads to no other site.
    sources: full ? (site?.sources() ?? []) : [],
  }
  const focused = focusRefusal(body.toString())
  const content = focused ?? body.toString()
  // A time of `when` that is told in UTC.
  const tellsTimes = content.includes(' data-local>')
  const own = ['/assets/find.js', ...(tellsTimes ? ['/assets/times.js'] : [])]
  const addresses = [...own, ...scripts].map((address) => {
    const name = SCRIPT.exec(address)?.[1]
    return name === undefined ? address : assetAddress(name)
  })
  const showsPasswords = scripts.includes('/assets/account.js')
  const namesLanguage = path !== undefined && /[?&]ui_locales=/.test(path)
  const width = full ? 'full' : wide ? 'wide' : 'narrow'
  return html`<!doctype html>
<html lang="${language}"${theme !== 'auto' && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}">
<title>${focused !== undefined && options.messages.error.inTitle}${title} · mokuroku</title>
<link rel="icon" href="${assetAddress('favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetAddress('style.css')}">
${styles.map((name) => html`<link rel="stylesheet" href="${assetAddress(name)}">\n`)}${head && headElements({ ...head, title, language, origin, namesLanguage })}${addresses.map((address) => html`<script src="${address}" defer></script>\n`)}</head>
<body${showsPasswords && html` data-show="${options.messages.layout.showPassword}"`}>
${pageHeader(frame)}
<main id="content" class="${width}" tabindex="-1">
${new Html(content)}
</main>
${pageFooter(frame)}
</body>
</html>
`.toString()
}

/** The policy of pages; `images`: where their pictures may come from; `asked`: what their scripts may ask. */
export const contentPolicy = (images: string, asked = "'self'") =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `img-src ${images}`,
    `connect-src ${asked}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * On every page. No `form-action`: Chromium holds it against the redirects that follow a form too, and consent ends
 * in one to an app's address, which may be of any scheme. No inline script or style; pictures of accounts are https.
 *
 * The referrer policy is `same-origin` and not `no-referrer`, with which browsers send `Origin: null` from our own forms.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': contentPolicy("'self' https: data:"),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
} as const
