import { Type } from 'typebox'
import { exampleCover } from '../example-parts.ts'
import {
  Closed,
  Id,
  Named,
  Nullable,
  NullableNumber,
  NullableText,
  Ref,
} from '../../http/wire/schemas.ts'
import { DEV_STATUSES } from '../enums.ts'
import { NullableCurrency, OpenGalgameCoverDto, OpenSpoilerTagDto } from '../schemas.ts'
import { developerNameSql, galgameCoversSql } from '../sql-fragments.ts'
import type { Fields } from './field.ts'
import { externalSource, externalIdNumber, ROMAJI_TITLE } from './shared.ts'
import { StatedCount, StatedCurrency, StatedGalgameCover, StatedText } from './stated-values.ts'
import { nullableText, VALUES } from './value-types.ts'

/** Schema of a price (§2.2). */
export const OpenGalgamePriceDto = Named('OpenGalgamePriceDto', {
  version: NullableText,
  amount: NullableNumber,
  currency: NullableCurrency,
  tax_included: Nullable(Type.Boolean()),
})
/** `amount` is in major units of the currency, such as yen or dollars. */
export const StatedPrice = Closed({
  version: Nullable(StatedText),
  amount: Nullable(Type.Number({ minimum: 0 })),
  currency: Nullable(StatedCurrency),
  tax_included: Nullable(Type.Boolean()),
})

/** Schema of a Steam app (decision 0002). */
export const OpenSteamAppDto = Named('OpenSteamAppDto', { app_id: Id })
export const StatedSteamApp = Closed({ app_id: Type.Integer({ minimum: 1 }) })

/** A tag that tells what happens, with the level of the spoiler (decision 0044). */
export const StatedSpoilerTag = Closed({
  name: StatedText,
  likes: StatedCount,
  level: Type.Integer({ minimum: 1, maximum: 2 }),
})

/** Most votes first. Ties keep the order of the source. */
export const galgameCovers = {
  ...VALUES.listOf(StatedGalgameCover, Ref(OpenGalgameCoverDto), 'Most votes first'),
  select: galgameCoversSql,
}

/** Fields of a galgame (§2.3, decision 0002). */
export const GALGAME_FIELDS = {
  id: { response: Id, example: 1 },
  origin_title: { ...VALUES.requiredText, example: 'CLANNAD' },
  trans_title: { ...VALUES.text, example: null },
  aliases: { ...VALUES.texts, example: ['クラナド'] },
  covers: {
    ...galgameCovers,
    example: [
      {
        ...exampleCover('https://lain.bgm.tv/pic/cover/l/c5/1c/13_tQxwM.jpg'),
        kind: null,
        language: null,
      },
    ],
  },
  images: { ...VALUES.pictures, example: [] },
  release_date: { ...VALUES.day, example: '2004-04-28T00:00:00.000Z' },
  release_date_tbd: {
    ...VALUES.flag,
    response: Type.Boolean({
      description:
        'True if the exact date is unknown. If `dev_status` is `RELEASED`, the date is in the past.',
    }),
    example: false,
  },
  release_date_tbd_note: {
    ...VALUES.textOrEmpty,
    response: Type.String({ description: 'Known part of the date: `2026-10`, `2027`' }),
    example: '',
  },
  origin_intro: {
    ...VALUES.text,
    example:
      '季節は春、楽しく等身大で過ごす学園での日常から物語は始まり、やがてストーリーはヒロインたちとの恋愛に発展していきます。',
  },
  trans_intro: {
    ...VALUES.text,
    example:
      '《CLANNAD》为2004年key社所发行的文字冒险游戏（AVG），和key社以往游戏不同的是，这款是以全年龄版PC的形式发行。',
  },
  adv_type: { ...VALUES.text, example: '恋爱ADV' },
  platforms: {
    ...VALUES.listOf(StatedText, Type.String(), "VNDB's codes: `win`, `swi`, `and` …"),
    example: ['win', 'ps2', 'psp', 'swi'],
  },
  homepage: { ...VALUES.url, example: 'http://key.visualarts.gr.jp/product/clannad/' },
  engine: { ...VALUES.text, example: 'RealLive' },
  origin_lang: { ...VALUES.text, response: nullableText('BCP 47'), example: 'ja' },
  dev_status: { ...VALUES.enumOf(DEV_STATUSES), example: 'RELEASED' },
  prices: {
    ...VALUES.listOf(StatedPrice, Ref(OpenGalgamePriceDto)),
    example: [{ version: 'PC', amount: 7500, currency: 'JPY', tax_included: false }],
  },
  en_title: { ...VALUES.text, example: 'CLANNAD' },
  romaji_title: { ...ROMAJI_TITLE, example: null },
  ko_title: { ...VALUES.text, example: null },
  en_intro: {
    ...VALUES.text,
    example:
      'Okazaki Tomoya dislikes the town he lives in, and school with it, until he meets a girl at the foot of the slope that leads there.',
  },
  developer: {
    response: nullableText('Name of the first developer'),
    select: developerNameSql,
    example: 'Key',
  },
  external_links: {
    ...VALUES.links,
    example: [
      { label: 'Bangumi', name: 'bgmtv', url: 'https://bgm.tv/subject/13' },
      { label: 'Steam', name: 'steam', url: 'https://store.steampowered.com/app/324160/' },
    ],
  },
  steam_apps: {
    ...VALUES.listOf(StatedSteamApp, Ref(OpenSteamAppDto)),
    example: [{ app_id: 324160 }],
  },
  spoiler_tags: {
    ...VALUES.listOf(
      StatedSpoilerTag,
      Ref(OpenSpoilerTagDto),
      'Tags that are spoilers, most votes first. They are not among `tags`, and lists are not filtered by them.',
    ),
    example: [],
  },
  vndb_id: { ...externalIdNumber('VNDB (17 for v17)', 'outside.vndb'), example: 4 },
  bangumi_game_id: { ...externalIdNumber('Bangumi', 'outside.bangumi'), example: 13 },
  bangumi_id: { ...externalIdNumber('Bangumi', 'outside.bangumi'), example: 13 },
  external_source: { ...externalSource('galgame'), example: { vndb: 'v4', bangumi: '13' } },
} satisfies Fields
