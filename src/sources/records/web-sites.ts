import { distinctBy } from '../../kernel/distinct-by.ts'
import type { ExternalLink, SteamApp } from './record-fields.ts'

type Site = {
  label: string
  /** URL of a work. `%` stands for its id. */
  page: string
  /** Hosts that may serve the pages, including subdomains. Defaults to the host of `page`. */
  hosts?: string[]
  /** Minimum length of ids. Shorter ones are padded with zeros. */
  digits?: number
}

/**
 * Sites with pages of works, by the name that VNDB uses if it has one. A URL belongs to the first site whose host
 * matches.
 */
export const SITES: Readonly<Record<string, Site>> = {
  steam: { label: 'Steam', page: 'https://store.steampowered.com/app/%/' },
  acdb_source: {
    label: 'Anime Characters Database',
    page: 'https://www.animecharactersdatabase.com/source.php?id=%',
  },
  anidb: { label: 'AniDB', page: 'https://anidb.net/anime/%' },
  anilist: { label: 'AniList', page: 'https://anilist.co/manga/%' },
  appstore: { label: 'App Store', page: 'https://apps.apple.com/app/id%' },
  bgmtv: { label: 'Bangumi', page: 'https://bgm.tv/subject/%', hosts: ['bgm.tv', 'bangumi.tv'] },
  bilibili: { label: 'bilibili', page: 'https://www.bilibili.com/%', hosts: ['bilibili.com'] },
  bookwalker: { label: 'BookWalker', page: 'https://bookwalker.jp/series/%/' },
  booth: { label: 'BOOTH', page: 'https://booth.pm/en/items/%' },
  denpa: { label: 'Denpasoft', page: 'https://denpasoft.com/product/%/' },
  digiket: {
    label: 'DiGiket',
    page: 'https://www.digiket.com/work/show/_data/ID=ITM%/',
    digits: 7,
  },
  dlsite: { label: 'DLsite', page: 'https://www.dlsite.com/home/work/=/product_id/%.html' },
  dlsiteen: {
    label: 'DLsite (English)',
    page: 'https://www.dlsite.com/eng/work/=/product_id/%.html',
  },
  dmm: { label: 'DMM', page: 'https://%', hosts: ['dmm.com', 'dmm.co.jp'] },
  egs: {
    label: 'ErogameScape',
    page: 'https://erogamescape.dyndns.org/~ap2/ero/toukei_kaiseki/game.php?game=%',
  },
  fakku: { label: 'FAKKU', page: 'https://www.fakku.net/games/%' },
  freegame: { label: 'Freegame Mugen', page: 'https://freegame-mugen.jp/%.html' },
  freem: { label: 'Freem!', page: 'https://www.freem.ne.jp/win/game/%' },
  gamefaqs_game: { label: 'GameFAQs', page: 'https://gamefaqs.gamespot.com/-/%-' },
  gamejolt: { label: 'Game Jolt', page: 'https://gamejolt.com/games/vn/%' },
  getchu: {
    label: 'Getchu',
    page: 'http://www.getchu.com/soft.phtml?id=%',
    hosts: ['www.getchu.com'],
  },
  getchudl: { label: 'DL.Getchu', page: 'http://dl.getchu.com/i/item%' },
  gog: { label: 'GOG', page: 'https://www.gog.com/game/%' },
  googplay: { label: 'Google Play', page: 'https://play.google.com/store/apps/details?id=%' },
  gyutto: { label: 'Gyutto', page: 'https://gyutto.com/i/item%' },
  howlongtobeat: { label: 'HowLongToBeat', page: 'https://howlongtobeat.com/game/%' },
  igdb_game: { label: 'IGDB', page: 'https://www.igdb.com/games/%' },
  itch: { label: 'itch.io', page: 'https://%', hosts: ['itch.io'] },
  // The code is followed by a title, which may be anything.
  jastusa: { label: 'JAST USA', page: 'https://jastusa.com/games/%/vndb' },
  johren: { label: 'Johren', page: 'https://www.johren.games/games/download/%/' },
  kakuyomu: { label: 'カクヨム', page: 'https://kakuyomu.jp/works/%' },
  mal: { label: 'MyAnimeList', page: 'https://myanimelist.net/manga/%' },
  mg: { label: 'MangaGamer', page: 'https://www.mangagamer.com/r18/detail.php?product_code=%' },
  melonjp: {
    label: 'Melonbooks',
    page: 'https://www.melonbooks.co.jp/detail/detail.php?product_id=%',
  },
  mobygames: { label: 'MobyGames', page: 'https://www.mobygames.com/game/%' },
  moegirl: {
    label: '萌娘百科',
    page: 'https://zh.moegirl.org.cn/%',
    hosts: ['moegirl.org.cn', 'moegirl.org'],
  },
  nintendo: { label: 'Nintendo', page: 'https://www.nintendo.com/store/products/%/' },
  nintendo_jp: {
    label: 'Nintendo (Japan)',
    page: 'https://store-jp.nintendo.com/item/software/D%',
  },
  novelgam: { label: 'NovelGame', page: 'https://novelgame.jp/games/show/%' },
  nutaku: { label: 'Nutaku', page: 'https://www.nutaku.net/games/%/' },
  patreon: { label: 'Patreon', page: 'https://www.patreon.com/%' },
  pcgamingwiki: { label: 'PCGamingWiki', page: 'https://www.pcgamingwiki.com/wiki/%' },
  pixiv: { label: 'pixiv', page: 'https://www.pixiv.net/%', hosts: ['pixiv.net'] },
  playstation_jp: {
    label: 'PlayStation Store (Japan)',
    page: 'https://store.playstation.com/ja-jp/product/%',
  },
  playstation_na: {
    label: 'PlayStation Store (America)',
    page: 'https://store.playstation.com/en-us/product/%',
  },
  playstation_eu: {
    label: 'PlayStation Store (Europe)',
    page: 'https://store.playstation.com/en-gb/product/%',
  },
  playstation_hk: {
    label: 'PlayStation Store (Hong Kong)',
    page: 'https://store.playstation.com/en-hk/product/%',
  },
  renai: { label: 'Ren’Ai Archive', page: 'https://renai.us/game/%' },
  syosetu: { label: '小説家になろう', page: 'https://ncode.syosetu.com/%/' },
  twitter: { label: 'X', page: 'https://x.com/%', hosts: ['x.com', 'twitter.com'] },
  vgmdb_product: { label: 'VGMdb', page: 'https://vgmdb.net/product/%' },
  vndb: { label: 'VNDB', page: 'https://vndb.org/%' },
  weibo: { label: '微博', page: 'https://weibo.com/%' },
  wikidata: { label: 'Wikidata', page: 'https://www.wikidata.org/wiki/Q%' },
  wikipedia: { label: 'Wikipedia', page: 'https://%', hosts: ['wikipedia.org'] },
  youtube: {
    label: 'YouTube',
    page: 'https://www.youtube.com/%',
    hosts: ['youtube.com', 'youtu.be'],
  },
}

/** Returns the link to an id at a site, or `undefined` if the site is unknown or the id leads to another host. */
export function linkToSite(name: string, id: string): ExternalLink | undefined {
  const site = Object.hasOwn(SITES, name) ? SITES[name] : undefined
  const url = site && parseWebUrl(site.page.replace('%', () => id.padStart(site.digits ?? 0, '0')))
  return site && url && isPageOf(site, url) ? { label: site.label, name, url: url.href } : undefined
}

/** Returns the link to an official website, or `undefined` if the URL is not absolute. */
export function linkToWebsite(address: string | null | undefined): ExternalLink | undefined {
  const url = parseWebUrl(address)
  return url && { label: 'Official website', name: 'website', url: url.href }
}

/** Returns the link for a URL of a known site. */
export function linkToUrl(address: string): ExternalLink | undefined {
  const url = parseWebUrl(address)
  const found = url && Object.entries(SITES).find(([, site]) => isPageOf(site, url))
  return found && { label: found[1].label, name: found[0], url: url.href }
}

/** Returns the defined links, each URL once. */
export function distinctLinks(links: (ExternalLink | undefined)[]): ExternalLink[] {
  return distinctBy(
    links.filter((link) => link !== undefined),
    ({ url }) => url,
  )
}

/** Returns the Steam games among the links. */
export function steamAppsOf(links: ExternalLink[]): SteamApp[] {
  const ids = links.flatMap(
    ({ url }) => /^https?:\/\/store\.steampowered\.com\/app\/(\d{1,10})\b/.exec(url)?.[1] ?? [],
  )
  return [...new Set(ids.map(Number))].filter((id) => id > 0).map((app_id) => ({ app_id }))
}

function parseWebUrl(address: string | null | undefined): URL | undefined {
  const url = URL.parse(address ?? '') ?? undefined
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? url
    : undefined
}

function isPageOf({ page, hosts = [new URL(page).hostname] }: Site, { hostname }: URL): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}
