import { announcementBanner } from '../announcement.ts'
import { pageFooter, pageHeader } from './frame.ts'
import { headElements, type Head } from './head.ts'
import { focusError } from '../forms/focus-error.ts'
import { Html, html } from '../html.ts'
import type { Language } from '../../i18n/languages.ts'
import type { Messages } from '../messages.ts'
import { SOFTWARE_NAME } from '../software-name.ts'
import type { Announcement, PageViewer, Site } from './site.ts'
import type { TitlePreference } from '../title-preference.ts'
import type { Theme } from './theme.ts'

/** Result of a view: `title` for the browser tab, `body` for the content of `<main>`. */
export type View = {
  title: string
  body: Html
  /** URLs of deferred scripts, in the order in which they run. */
  scripts?: string[]
  /** Names of assets to load in addition to the shared stylesheet. */
  styles?: string[]
  head?: Head
  /** Text in the header's search box. */
  query?: string
  /** Whether the page has its own search box, which replaces the one in the header. */
  hasOwnSearch?: boolean
}

export type PageOptions = View & {
  language: Language
  messages: Messages
  /** Path and query that the language and theme links keep; undefined to omit these links. */
  path?: string | undefined
  /** Whether the page is wide, for tables and lists. Otherwise it is one narrow card. */
  wide?: boolean
  /** Whether the page uses the full width without a card, as catalog pages do. */
  full?: boolean
  theme?: Theme
  titlePreference?: TitlePreference
  announcement?: Announcement | undefined
  viewer?: PageViewer | undefined
  /** Number of the viewer's unread notifications. */
  unread?: number | undefined
  site?: Site | undefined
  /** Origin of the pages. */
  origin?: string
}

const SCRIPT = /^\/assets\/([\w.-]+)$/

/** Renders a complete HTML document. */
export function renderPage(options: PageOptions): string {
  const {
    language,
    title,
    body,
    path,
    site,
    theme = 'auto',
    titlePreference = 'translated',
    origin = '',
    head,
    scripts = [],
    styles = [],
  } = options
  const { wide = false, full = false } = options
  const assetUrl = (name: string) => site?.assetUrl(name) ?? `/assets/${name}`
  const siteName = site?.name ?? SOFTWARE_NAME
  const icons = site?.icons ?? [{ url: assetUrl('favicon.svg'), type: 'image/svg+xml' }]
  const frame = {
    language,
    site,
    siteName,
    messages: options.messages,
    theme,
    titlePreference,
    // Guests choose with links on catalog pages, users in their preferences.
    choosesTitles: full && !options.viewer,
    path,
    viewer: options.viewer,
    unread: options.unread,
    query: options.query,
    hasSearch: !(options.hasOwnSearch ?? false),
    // Only catalog pages name the sources. The URL of an account page may hold a token, so such a
    // page links to no other site.
    sources: full ? (site?.sources() ?? []) : [],
  }
  const focused = focusError(body.toString())
  const content = focused ?? body.toString()
  // True if `timeElement` rendered a time in UTC.
  const hasLocalTimes = content.includes(' data-local>')
  const own = ['/assets/find.js', ...(hasLocalTimes ? ['/assets/times.js'] : [])]
  const urls = [...own, ...scripts].map((url) => {
    const name = SCRIPT.exec(url)?.[1]
    return name === undefined ? url : assetUrl(name)
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
<title>${focused !== undefined && options.messages.error.inTitle}${title} · ${siteName}</title>
${icons.map(({ url, type }) => html`<link rel="icon" href="${url}" type="${type}">\n`)}${
    site &&
    html`<link rel="apple-touch-icon" href="${assetUrl('icon-192.png')}">
<link rel="manifest" href="/manifest.webmanifest?ui_locales=${language}"${site.hasServiceWorker && html` data-worker`}>
`
  }<link rel="preload" href="${assetUrl('display.woff2')}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assetUrl('style.css')}">
${styles.map((name) => html`<link rel="stylesheet" href="${assetUrl(name)}">\n`)}${head && headElements({ ...head, title, siteName, language, origin, namesLanguage, shareImage: site && !site.logo ? assetUrl('share.png') : undefined })}${urls.map((url) => html`<script src="${url}" defer></script>\n`)}</head>
<body${showsPasswords && html` data-show="${options.messages.layout.showPassword}"`}>
${pageHeader(frame)}
${options.announcement && announcementBanner(options.announcement, { ...frame, fallback: site?.defaultLanguage })}<main id="content" class="${width}" tabindex="-1">
${new Html(content)}
</main>
${pageFooter(frame)}
</body>
</html>
`.toString()
}

/**
 * Returns the content security policy of pages.
 *
 * @param images sources of pictures
 * @param connect origins that scripts may call
 */
export const contentSecurityPolicy = (images: string, connect = "'self'") =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "font-src 'self'",
    `img-src ${images}`,
    `connect-src ${connect}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * Headers of every page. There is no `form-action`, because Chromium also applies it to the redirects that follow a
 * form, and consent redirects to an app's URL of any scheme. Inline scripts and styles are forbidden; account pictures
 * are loaded over https only. The referrer policy is `same-origin`, because with `no-referrer` browsers send `Origin:
 * null` from this service's own forms.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy("'self' https: data:"),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
} as const
