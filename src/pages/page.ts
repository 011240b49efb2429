import { html, type Html } from './html.ts'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from './languages.ts'
import { localAddress } from './local-address.ts'
import type { Messages } from './messages/en.ts'

/** What a view makes of its data: `title` stands in the browser's tab, `body` inside `<main>`. */
export type View = {
  title: string
  body: Html
  /** Addresses of scripts, run in this order when the page is there. */
  scripts?: string[]
}

export type PageOptions = View & {
  language: Language
  messages: Messages
  /** Path and query of this page, for the links to it in other languages; missing: there are none. */
  path?: string | undefined
  /** For tables and lists; else the page is one narrow card. */
  wide?: boolean
}

/** A whole HTML document. */
export function renderPage({
  language,
  messages,
  title,
  body,
  path,
  wide = false,
  scripts = [],
}: PageOptions): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · mokuroku</title>
<link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
${scripts.map((address) => html`<script src="${address}" defer></script>`)}
</head>
<body>
<header class="site"><p class="brand">mokuroku <span lang="ja">目録</span></p></header>
<main${wide && html` class="wide"`}>
${body}
</main>
<footer class="site">${path !== undefined && languageLinks(language, messages, path)}</footer>
</body>
</html>
`.toString()
}

function languageLinks(current: Language, { layout }: Messages, path: string) {
  const address = localAddress(path, ['lang'])
  const start = address.includes('?') ? `${address}&` : `${address}?`
  const links = LANGUAGES.map((language) => {
    const mark = language === current && html` aria-current="true"`
    return html`<li><a href="${start}lang=${language}" lang="${language}" hreflang="${language}" rel="nofollow"${mark}>${LANGUAGE_NAMES[language]}</a></li>`
  })
  return html`<nav aria-label="${layout.languages}"><ul class="languages">${links}</ul></nav>`
}

/**
 * On every page. No `form-action`: Chromium holds it against the redirects that follow a form too, and consent ends
 * in one to an app's address, which may be of any scheme. No inline script or style; pictures of accounts are https.
 *
 * The referrer policy is `same-origin` and not `no-referrer`, with which browsers send `Origin: null` from our own forms.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' https: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
} as const
