import { distinctBy } from '../../kernel/distinct-by.ts'
import { SOURCES } from '../registry.ts'
import type { ExternalLink, SteamApp } from './record-fields.ts'

type Site = {
  label: string
  /** URL of a work's page. `%` stands for the work's id. */
  page: string
  /** Hosts that may serve the pages, including subdomains. Defaults to the host of `page`. */
  hosts?: readonly string[]
  /** Minimum length of ids. Shorter ids are padded with zeros. */
  digits?: number
}

const site = (label: string, page: string, options: Pick<Site, 'hosts' | 'digits'> = {}): Site => ({
  label,
  page,
  ...options,
})

/**
 * Sites with pages of works, keyed by the name that VNDB uses, if it has one. A URL belongs to the first site whose
 * host matches.
 */
export const SITES: Readonly<Record<string, Site>> = {
  steam: site('Steam', 'https://store.steampowered.com/app/%/'),
  acdb_source: site(
    'Anime Characters Database',
    'https://www.animecharactersdatabase.com/source.php?id=%',
  ),
  anidb: site('AniDB', 'https://anidb.net/anime/%'),
  anilist: site('AniList', 'https://anilist.co/manga/%'),
  appstore: site('App Store', 'https://apps.apple.com/app/id%'),
  bgmtv: site('Bangumi', 'https://bgm.tv/subject/%', { hosts: SOURCES.bangumi.hosts }),
  bilibili: site('bilibili', 'https://www.bilibili.com/%', { hosts: ['bilibili.com'] }),
  bookwalker: site('BookWalker', 'https://bookwalker.jp/series/%/'),
  booth: site('BOOTH', 'https://booth.pm/en/items/%'),
  denpa: site('Denpasoft', 'https://denpasoft.com/product/%/'),
  digiket: site('DiGiket', 'https://www.digiket.com/work/show/_data/ID=ITM%/', { digits: 7 }),
  dlsite: site('DLsite', 'https://www.dlsite.com/home/work/=/product_id/%.html'),
  dlsiteen: site('DLsite (English)', 'https://www.dlsite.com/eng/work/=/product_id/%.html'),
  dmm: site('DMM', 'https://%', { hosts: ['dmm.com', 'dmm.co.jp'] }),
  egs: site(
    'ErogameScape',
    'https://erogamescape.dyndns.org/~ap2/ero/toukei_kaiseki/game.php?game=%',
  ),
  fakku: site('FAKKU', 'https://www.fakku.net/games/%'),
  freegame: site('Freegame Mugen', 'https://freegame-mugen.jp/%.html'),
  freem: site('Freem!', 'https://www.freem.ne.jp/win/game/%'),
  gamefaqs_game: site('GameFAQs', 'https://gamefaqs.gamespot.com/-/%-'),
  gamejolt: site('Game Jolt', 'https://gamejolt.com/games/vn/%'),
  getchu: site('Getchu', 'http://www.getchu.com/soft.phtml?id=%', { hosts: ['www.getchu.com'] }),
  getchudl: site('DL.Getchu', 'http://dl.getchu.com/i/item%'),
  gog: site('GOG', 'https://www.gog.com/game/%'),
  googplay: site('Google Play', 'https://play.google.com/store/apps/details?id=%'),
  gyutto: site('Gyutto', 'https://gyutto.com/i/item%'),
  howlongtobeat: site('HowLongToBeat', 'https://howlongtobeat.com/game/%'),
  igdb_game: site('IGDB', 'https://www.igdb.com/games/%'),
  itch: site('itch.io', 'https://%', { hosts: ['itch.io'] }),
  // The code is followed by a title, which may contain any characters.
  jastusa: site('JAST USA', 'https://jastusa.com/games/%/vndb'),
  johren: site('Johren', 'https://www.johren.games/games/download/%/'),
  kakuyomu: site('カクヨム', 'https://kakuyomu.jp/works/%'),
  mal: site('MyAnimeList', 'https://myanimelist.net/manga/%'),
  mg: site('MangaGamer', 'https://www.mangagamer.com/r18/detail.php?product_code=%'),
  melonjp: site('Melonbooks', 'https://www.melonbooks.co.jp/detail/detail.php?product_id=%'),
  mobygames: site('MobyGames', 'https://www.mobygames.com/game/%'),
  moegirl: site('萌娘百科', 'https://zh.moegirl.org.cn/%', {
    hosts: ['moegirl.org.cn', 'moegirl.org'],
  }),
  nintendo: site('Nintendo', 'https://www.nintendo.com/store/products/%/'),
  nintendo_jp: site('Nintendo (Japan)', 'https://store-jp.nintendo.com/item/software/D%'),
  novelgam: site('NovelGame', 'https://novelgame.jp/games/show/%'),
  nutaku: site('Nutaku', 'https://www.nutaku.net/games/%/'),
  patreon: site('Patreon', 'https://www.patreon.com/%'),
  pcgamingwiki: site('PCGamingWiki', 'https://www.pcgamingwiki.com/wiki/%'),
  pixiv: site('pixiv', 'https://www.pixiv.net/%', { hosts: ['pixiv.net'] }),
  playstation_jp: site(
    'PlayStation Store (Japan)',
    'https://store.playstation.com/ja-jp/product/%',
  ),
  playstation_na: site(
    'PlayStation Store (America)',
    'https://store.playstation.com/en-us/product/%',
  ),
  playstation_eu: site(
    'PlayStation Store (Europe)',
    'https://store.playstation.com/en-gb/product/%',
  ),
  playstation_hk: site(
    'PlayStation Store (Hong Kong)',
    'https://store.playstation.com/en-hk/product/%',
  ),
  renai: site('Ren’Ai Archive', 'https://renai.us/game/%'),
  syosetu: site('小説家になろう', 'https://ncode.syosetu.com/%/'),
  twitter: site('X', 'https://x.com/%', { hosts: ['x.com', 'twitter.com'] }),
  vgmdb_product: site('VGMdb', 'https://vgmdb.net/product/%'),
  vndb: site('VNDB', 'https://vndb.org/%'),
  weibo: site('微博', 'https://weibo.com/%'),
  wikidata: site('Wikidata', 'https://www.wikidata.org/wiki/Q%'),
  wikipedia: site('Wikipedia', 'https://%', { hosts: ['wikipedia.org'] }),
  youtube: site('YouTube', 'https://www.youtube.com/%', { hosts: ['youtube.com', 'youtu.be'] }),
}

/** Returns the link to an id at a site, or `undefined` if the site is unknown or the id leads to another host. */
export function linkToSite(name: string, id: string): ExternalLink | undefined {
  const site = Object.hasOwn(SITES, name) ? SITES[name] : undefined
  const url = site && parseWebUrl(site.page.replace('%', () => id.padStart(site.digits ?? 0, '0')))
  return site && url && isPageOf(site, url) ? { label: site.label, name, url: url.href } : undefined
}

/** Returns the link to an official website, or `undefined` if the URL is not absolute. */
export function linkToWebsite(text: string | null | undefined): ExternalLink | undefined {
  const url = parseWebUrl(text)
  return url && { label: 'Official website', name: 'website', url: url.href }
}

/** Returns the link for a URL of a known site. */
export function linkToUrl(text: string): ExternalLink | undefined {
  const url = parseWebUrl(text)
  const found = url && Object.entries(SITES).find(([, site]) => isPageOf(site, url))
  return found && { label: found[1].label, name: found[0], url: url.href }
}

/** Returns the defined links. Each URL appears once. */
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

function parseWebUrl(text: string | null | undefined): URL | undefined {
  const url = URL.parse(text ?? '') ?? undefined
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? url
    : undefined
}

function isPageOf({ page, hosts = [new URL(page).hostname] }: Site, { hostname }: URL): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}
