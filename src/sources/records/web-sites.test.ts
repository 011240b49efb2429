import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SOURCES } from '../registry.ts'
import { linkToUrl, linkToSite, SITES } from './web-sites.ts'

/** Site, label, id as sources write it, and resulting URL. */
const EXAMPLES: [name: string, label: string, id: string, url: string][] = [
  ['steam', 'Steam', '324160', 'https://store.steampowered.com/app/324160/'],
  [
    'acdb_source',
    'Anime Characters Database',
    '3457',
    'https://www.animecharactersdatabase.com/source.php?id=3457',
  ],
  ['anidb', 'AniDB', '6671', 'https://anidb.net/anime/6671'],
  ['anilist', 'AniList', '30013', 'https://anilist.co/manga/30013'],
  ['appstore', 'App Store', '1080173104', 'https://apps.apple.com/app/id1080173104'],
  ['bgmtv', 'Bangumi', '13', 'https://bgm.tv/subject/13'],
  ['bilibili', 'bilibili', 'video/BV1xx411c7mD', 'https://www.bilibili.com/video/BV1xx411c7mD'],
  ['bookwalker', 'BookWalker', '28', 'https://bookwalker.jp/series/28/'],
  ['booth', 'BOOTH', '1234567', 'https://booth.pm/en/items/1234567'],
  ['denpa', 'Denpasoft', 'karakara', 'https://denpasoft.com/product/karakara/'],
  ['digiket', 'DiGiket', '12345', 'https://www.digiket.com/work/show/_data/ID=ITM0012345/'],
  ['dlsite', 'DLsite', 'RJ123456', 'https://www.dlsite.com/home/work/=/product_id/RJ123456.html'],
  [
    'dlsiteen',
    'DLsite (English)',
    'RE123456',
    'https://www.dlsite.com/eng/work/=/product_id/RE123456.html',
  ],
  ['dmm', 'DMM', 'dlsoft.dmm.co.jp/detail/key_0016/', 'https://dlsoft.dmm.co.jp/detail/key_0016/'],
  [
    'egs',
    'ErogameScape',
    '3348',
    'https://erogamescape.dyndns.org/~ap2/ero/toukei_kaiseki/game.php?game=3348',
  ],
  ['fakku', 'FAKKU', 'princess-trap', 'https://www.fakku.net/games/princess-trap'],
  [
    'freegame',
    'Freegame Mugen',
    'adventure/game_123',
    'https://freegame-mugen.jp/adventure/game_123.html',
  ],
  ['freem', 'Freem!', '1234', 'https://www.freem.ne.jp/win/game/1234'],
  ['gamefaqs_game', 'GameFAQs', '941205', 'https://gamefaqs.gamespot.com/-/941205-'],
  ['gamejolt', 'Game Jolt', '12345', 'https://gamejolt.com/games/vn/12345'],
  ['getchu', 'Getchu', '22978', 'http://www.getchu.com/soft.phtml?id=22978'],
  ['getchudl', 'DL.Getchu', '4012345', 'http://dl.getchu.com/i/item4012345'],
  ['gog', 'GOG', 'clannad', 'https://www.gog.com/game/clannad'],
  [
    'googplay',
    'Google Play',
    'jp.co.prot.clannad',
    'https://play.google.com/store/apps/details?id=jp.co.prot.clannad',
  ],
  ['gyutto', 'Gyutto', '12345', 'https://gyutto.com/i/item12345'],
  ['howlongtobeat', 'HowLongToBeat', '1764', 'https://howlongtobeat.com/game/1764'],
  ['igdb_game', 'IGDB', 'clannad', 'https://www.igdb.com/games/clannad'],
  ['itch', 'itch.io', 'maker.itch.io/game', 'https://maker.itch.io/game'],
  ['jastusa', 'JAST USA', 'jast005', 'https://jastusa.com/games/jast005/vndb'],
  ['johren', 'Johren', 'a-game', 'https://www.johren.games/games/download/a-game/'],
  ['kakuyomu', 'カクヨム', '1177354054880238351', 'https://kakuyomu.jp/works/1177354054880238351'],
  ['mal', 'MyAnimeList', '1631', 'https://myanimelist.net/manga/1631'],
  ['mg', 'MangaGamer', '123', 'https://www.mangagamer.com/r18/detail.php?product_code=123'],
  [
    'melonjp',
    'Melonbooks',
    '123456',
    'https://www.melonbooks.co.jp/detail/detail.php?product_id=123456',
  ],
  ['mobygames', 'MobyGames', '48284', 'https://www.mobygames.com/game/48284'],
  ['moegirl', '萌娘百科', 'CLANNAD', 'https://zh.moegirl.org.cn/CLANNAD'],
  [
    'nintendo',
    'Nintendo',
    'clannad-switch',
    'https://www.nintendo.com/store/products/clannad-switch/',
  ],
  [
    'nintendo_jp',
    'Nintendo (Japan)',
    '70010000021364',
    'https://store-jp.nintendo.com/item/software/D70010000021364',
  ],
  ['novelgam', 'NovelGame', '1234', 'https://novelgame.jp/games/show/1234'],
  ['nutaku', 'Nutaku', 'a-game', 'https://www.nutaku.net/games/a-game/'],
  ['patreon', 'Patreon', 'maker', 'https://www.patreon.com/maker'],
  ['pcgamingwiki', 'PCGamingWiki', 'Clannad', 'https://www.pcgamingwiki.com/wiki/Clannad'],
  ['pixiv', 'pixiv', 'novel/series/1234', 'https://www.pixiv.net/novel/series/1234'],
  [
    'playstation_jp',
    'PlayStation Store (Japan)',
    'JP0741-CUSA11051_00-CLANNAD000000000',
    'https://store.playstation.com/ja-jp/product/JP0741-CUSA11051_00-CLANNAD000000000',
  ],
  [
    'playstation_na',
    'PlayStation Store (America)',
    'UP2204-CUSA11934_00-CLANNAD000000000',
    'https://store.playstation.com/en-us/product/UP2204-CUSA11934_00-CLANNAD000000000',
  ],
  [
    'playstation_eu',
    'PlayStation Store (Europe)',
    'EP2204-CUSA00001_00-0000000000000000',
    'https://store.playstation.com/en-gb/product/EP2204-CUSA00001_00-0000000000000000',
  ],
  [
    'playstation_hk',
    'PlayStation Store (Hong Kong)',
    'HP2204-CUSA00001_00-0000000000000000',
    'https://store.playstation.com/en-hk/product/HP2204-CUSA00001_00-0000000000000000',
  ],
  ['renai', 'Ren’Ai Archive', 'narcissu', 'https://renai.us/game/narcissu'],
  ['syosetu', '小説家になろう', 'n2267be', 'https://ncode.syosetu.com/n2267be/'],
  ['twitter', 'X', 'maker', 'https://x.com/maker'],
  ['vgmdb_product', 'VGMdb', '1234', 'https://vgmdb.net/product/1234'],
  ['vndb', 'VNDB', 'v4', 'https://vndb.org/v4'],
  ['weibo', '微博', 'maker', 'https://weibo.com/maker'],
  ['wikidata', 'Wikidata', '110607', 'https://www.wikidata.org/wiki/Q110607'],
  [
    'wikipedia',
    'Wikipedia',
    'en.wikipedia.org/wiki/Clannad_(video_game)',
    'https://en.wikipedia.org/wiki/Clannad_(video_game)',
  ],
  ['youtube', 'YouTube', '@maker', 'https://www.youtube.com/@maker'],
]

/** Sites that share a host. A plain URL belongs to the first of them. */
const FIRST_OF_HOST: Record<string, string> = {
  dlsiteen: 'dlsite',
  playstation_na: 'playstation_jp',
  playstation_eu: 'playstation_jp',
  playstation_hk: 'playstation_jp',
}

describe('a link to an external site', () => {
  it('has an example in this file and a unique label for every site', () => {
    assert.deepEqual(
      EXAMPLES.map(([name]) => name),
      Object.keys(SITES),
    )
    assert.equal(
      new Set(EXAMPLES.map(([, label]) => label)).size,
      EXAMPLES.length,
      'labels are unique',
    )
    for (const [name, { page }] of Object.entries(SITES))
      assert.equal(page.split('%').length, 2, name)
  })

  it('are recognized at each host of a source', () => {
    for (const host of SOURCES.bangumi.hosts)
      assert.equal(linkToUrl(`https://${host}/subject/13`)?.name, 'bgmtv', host)
  })

  for (const [name, label, id, url] of EXAMPLES)
    it(`to ${name} is built from the id, and its site is recognized from the URL`, () => {
      assert.deepEqual(linkToSite(name, id), { label, name, url })
      const expected = FIRST_OF_HOST[name] ?? name
      assert.deepEqual(linkToUrl(url), { label: SITES[expected]?.label, name: expected, url })
    })
})
