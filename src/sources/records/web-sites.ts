import { distinctBy } from '../../kernel/distinct-by.ts'
import type { ExternalLink, SteamApp } from './record-fields.ts'

type Site = {
  label: string
  /** A work's address there; `%` is the place of its id. */
  page: string
  /** Where addresses there may lead, subdomains included; else the host of `page`. */
  hosts?: string[]
  /** Ids shorter than this are filled up with zeros. */
  digits?: number
}

/** Sites with pages of works, under VNDB's names where it has one. The first whose host fits names a bare address. */
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
  // Behind the code stands a title, which may be any.
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

/** A page at a site by its id there; undefined where we do not know the site, or the id leads away from it. */
export function linkToSite(name: string, id: string): ExternalLink | undefined {
  const site = Object.hasOwn(SITES, name) ? SITES[name] : undefined
  const url =
    site && parseWebAddress(site.page.replace('%', () => id.padStart(site.digits ?? 0, '0')))
  return site && url && isAt(site, url) ? { label: site.label, name, url: url.href } : undefined
}

/** A page of the work's makers; undefined for what is no absolute address. */
export function linkToWebsite(address: string | null | undefined): ExternalLink | undefined {
  const url = parseWebAddress(address)
  return url && { label: 'Official website', name: 'website', url: url.href }
}

/** A page by its address alone; undefined where we do not know the site. */
export function linkToAddress(address: string): ExternalLink | undefined {
  const url = parseWebAddress(address)
  const found = url && Object.entries(SITES).find(([, site]) => isAt(site, url))
  return found && { label: found[1].label, name: found[0], url: url.href }
}

/** The links there are, each address once. */
export function distinctLinks(links: (ExternalLink | undefined)[]): ExternalLink[] {
  return distinctBy(
    links.filter((link) => link !== undefined),
    ({ url }) => url,
  )
}

/** The games at Steam that some links lead to. */
export function steamAppsOf(links: ExternalLink[]): SteamApp[] {
  const ids = links.flatMap(
    ({ url }) => /^https?:\/\/store\.steampowered\.com\/app\/(\d{1,10})\b/.exec(url)?.[1] ?? [],
  )
  return [...new Set(ids.map(Number))].filter((id) => id > 0).map((app_id) => ({ app_id }))
}

function parseWebAddress(address: string | null | undefined): URL | undefined {
  const url = URL.parse(address ?? '') ?? undefined
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    ? url
    : undefined
}

function isAt({ page, hosts = [new URL(page).hostname] }: Site, { hostname }: URL): boolean {
  return hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))
}
