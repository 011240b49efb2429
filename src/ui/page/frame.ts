import { shortDateElement } from '../format-time.ts'
import { html, type Html } from '../html.ts'
import { LANGUAGE_FACTS, LANGUAGES, type Language } from '../../i18n/languages.ts'
import { localPath, SECRET_PARAMETERS } from '../local-path.ts'
import type { Messages } from '../messages.ts'
import { SOFTWARE_NAME } from '../software-name.ts'
import type { FooterSource, PageViewer, Site, SiteLogo } from './site.ts'
import { portrait } from '../portrait.ts'
import { TITLE_PREFERENCES, type TitlePreference } from '../title-preference.ts'
import { THEMES, type Theme } from './theme.ts'

export type FrameOptions = {
  language: Language
  messages: Messages
  theme: Theme
  titlePreference: TitlePreference
  /** Whether the footer links to the choices of titles. */
  choosesTitles: boolean
  /** Path and query that the language and theme links keep; undefined to omit these links. */
  path: string | undefined
  viewer: PageViewer | undefined
  /** Number of the viewer's unread notifications; undefined on pages that do not count them. */
  unread: number | undefined
  /** Text in the search box. */
  query: string | undefined
  /** Whether the header has the search box. */
  hasSearch: boolean
  sources: readonly FooterSource[]
  site: Site | undefined
  siteName: string
}

const SEARCH_ICON = html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>`

/** Renders the header of every page: home, search, the catalog, and the viewer's account. */
export function pageHeader({
  messages,
  viewer,
  query = '',
  hasSearch,
  path,
  site,
  siteName,
  unread = 0,
}: FrameOptions): Html {
  const { layout: texts } = messages
  const place = path?.split('?', 1)[0]
  const link = (href: string, text: string) =>
    html`<a href="${href}"${isWithin(place, href) && html` aria-current="${place === href ? 'page' : 'true'}"`}>${text}</a>`
  const item = ([href, text]: readonly [string, string]) => html`<li>${link(href, text)}</li>`
  return html`<a class="skip" href="#content">${texts.skip}</a>
<header class="top"><div class="bar${isWithin(place, '/search') && ' searching'}">
<a class="brand" href="/">${brand(siteName, site)}</a>
<nav class="kinds" aria-label="${texts.catalog}">
<details class="drop"><summary>${texts.browse}</summary><ul class="panel">${browseLinks(messages).map(item)}<li class="group quiet">${texts.community}</li>${communityLinks(messages, viewer).map(item)}${viewer?.role && html`<li>${link('/desk', texts.desk)}</li>`}</ul></details>
${link('/library', texts.myList)}
</nav>
${hasSearch && html`<a class="find-link" href="/search" aria-label="${texts.search}">${SEARCH_ICON}</a>${searchBox(messages, query)}`}
<nav class="me${unread > 0 && ' notified'}" aria-label="${texts.you}">${
    viewer
      ? html`<a href="/account" class="who">${portrait(viewer)}<span class="name">${viewer.name}</span></a>${unread > 0 && html`<a class="unread" href="/library/notifications"><span class="unseen">${texts.unread} </span>${unread < 10 ? unread : '9+'}</a>`}`
      : link('/account', texts.account)
  }</nav>
</div></header>`
}

/** Returns the lists of the catalog. */
const browseLinks = ({ layout: texts, calendar }: Messages) =>
  [
    ['/galgames', texts.galgames],
    ['/light-novels', texts.lightNovels],
    ['/mangas', texts.mangas],
    ['/people', texts.people],
    ['/producers', texts.producers],
    ['/characters', texts.characters],
    ['/tags', texts.tags],
    ['/calendar', calendar.title],
  ] as const

/** Returns the lists of what users have published, and for signed-in users what is new for them. */
const communityLinks = (
  { layout: texts }: Messages,
  viewer?: PageViewer,
): (readonly [string, string])[] => [
  ['/reviews', texts.reviews],
  ['/collections', texts.collections],
  ['/users', texts.users],
  ...(viewer
    ? ([
        ['/library/timeline', texts.timeline],
        ['/library/notifications', texts.notifications],
      ] as const)
    : []),
]

/** Maximum length, in characters, of a name in the usual size. */
const MAX_SHORT_NAME = 20

/** Renders the name of the site, with its logo or the icon of the program. */
function brand(name: string, site: Site | undefined): Html {
  const mark = site?.assetUrl('favicon.svg') ?? '/assets/favicon.svg'
  const logo: SiteLogo = site?.logo ?? { url: mark, width: 28, height: 28, isWordmark: false }
  const { url, width, height, isWordmark } = logo
  const image = html`<img src="${url}" width="${width}" height="${height}" alt="${isWordmark && name}">`
  if (isWordmark) return html`${image}`
  return html`${image}${name === SOFTWARE_NAME ? html`<span class="site-name">${name} <span lang="ja">目録</span></span>` : html`<span class="site-name${[...name].length > MAX_SHORT_NAME && ' long'}">${name}</span>`}`
}

/** Renders the search box. With scripts, it shows results while the user types. */
export const searchBox = ({ layout: texts }: Messages, query: string): Html =>
  html`<form class="find" role="search" action="/search" data-find="${texts.searchKey}">
<label class="unseen" for="find">${texts.search}</label>
<input id="find" type="search" name="q" value="${query}" placeholder="${texts.searchHint}" maxlength="300" autocomplete="off" enterkeyhint="search" spellcheck="false">
<button aria-label="${texts.search}">${SEARCH_ICON}</button>
</form>`

const isWithin = (path: string | undefined, href: string) =>
  path === href || path?.startsWith(`${href}/`)

/** Renders the footer of every page: attribution of the data, languages, themes and links. */
export function pageFooter({
  language,
  messages,
  theme,
  titlePreference,
  choosesTitles,
  path,
  sources,
  site,
  siteName,
}: FrameOptions): Html {
  const { layout: texts } = messages
  return html`<footer class="foot"><div class="foot-inner">
${
  path !== undefined &&
  html`<div class="choices">${languageLinks(language, messages, path)}${themeLinks(theme, messages, path)}${choosesTitles && titleLinks(titlePreference, messages, path)}</div>`
}
${
  sources.length > 0 &&
  html`<p class="sources">${texts.dataFrom} ${sources.map(
    ({ name, url, licences, date }, index) =>
      html`${index > 0 && ' · '}<a href="${url}" rel="external">${name}</a>${date !== null && html` ${shortDateElement(language, date)}`} (${licences.map(
        (license, place) =>
          html`${place > 0 && ', '}<a href="${license.url}" rel="license external">${license.name}</a>`,
      )})`,
  )}</p>`
}
<p class="ways"><a href="/">${texts.home}</a><a href="/tags">${texts.tags}</a><a href="/people">${texts.people}</a><a href="/producers">${texts.producers}</a><a href="/characters">${texts.characters}</a>${communityLinks(messages).map(([href, text]) => html`<a href="${href}">${text}</a>`)}<a href="/calendar">${messages.calendar.title}</a><a href="/random" rel="nofollow">${messages.random.link}</a><a href="/feeds/new.atom">${texts.feed}</a><a href="/console">${messages.console.title}</a><a href="/guide">${messages.guide.title}</a><a href="/docs">${texts.api}</a><a href="/openapi.json">openapi.json</a></p>${legalLinks(messages, site)}${
    siteName !== SOFTWARE_NAME &&
    html`
<p>${texts.poweredBy}</p>`
  }
</div></footer>`
}

/** Links to the terms, privacy policy and imprint, and to the operator's contact. */
function legalLinks({ legal, layout }: Messages, site: Site | undefined): Html | false {
  const { legalPages = [], contact } = site ?? {}
  return (
    (legalPages.length > 0 || contact !== undefined) &&
    html`
<p class="ways">${legalPages.map((name) => html`<a href="/${name}">${legal[name]}</a>`)}${contact !== undefined && html`<a href="${contact}">${layout.contact}</a>`}</p>`
  )
}

function languageLinks(current: Language, { layout }: Messages, path: string) {
  const start = pathWithoutParameter(path, 'lang')
  const links = LANGUAGES.map((language) => {
    const mark = language === current && html` aria-current="true"`
    return html`<li><a href="${start}lang=${language}" lang="${language}" hreflang="${language}" rel="nofollow"${mark}>${LANGUAGE_FACTS[language].name}</a></li>`
  })
  return html`<nav aria-label="${layout.languages}"><ul class="languages">${links}</ul></nav>`
}

function themeLinks(current: Theme, { layout }: Messages, path: string) {
  const start = pathWithoutParameter(path, 'theme')
  const links = THEMES.map((theme) => {
    const mark = theme === current && html` aria-current="true"`
    return html`<li><a href="${start}theme=${theme}" rel="nofollow"${mark}>${layout.themes[theme]}</a></li>`
  })
  return html`<nav aria-label="${layout.theme}"><ul class="languages">${links}</ul></nav>`
}

function titleLinks(current: TitlePreference, { layout }: Messages, path: string) {
  const start = pathWithoutParameter(path, 'titles')
  const links = TITLE_PREFERENCES.map((name) => {
    const mark = name === current && html` aria-current="true"`
    return html`<li><a href="${start}titles=${name}" rel="nofollow"${mark}>${layout.titleChoices[name]}</a></li>`
  })
  return html`<nav aria-label="${layout.titles}"><ul class="languages">${links}</ul></nav>`
}

/** Returns this page's URL, ready for one more query parameter to be appended. */
function pathWithoutParameter(path: string, parameter: string): string {
  const link = localPath(path, [parameter, ...SECRET_PARAMETERS])
  return link.includes('?') ? `${link}&` : `${link}?`
}
