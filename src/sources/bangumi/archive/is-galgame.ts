import { toHalfWidth } from '../text.ts'

const GALGAME_TAGS = new Set(
  `galgame gal adv avg vn visualnovel visual_novel 视觉小说 視覺小說 ビジュアルノベル ノベルゲーム
  サウンドノベル 文字冒险 文字冒险游戏 恋爱冒险 恋爱adv 恋爱avg 美少女游戏 美少女ゲーム エロゲ ギャルゲー 乙女游戏 乙女ゲーム 乙女ゲー
  otome`.split(/\s+/),
)

/** Matches `ADV` as a separate word. `AAVG` and `RPG＋ADV` are action games and role-playing games. */
const GALGAME_GENRE =
  /(?<![a-z+])(adv|avg|vn)(?![a-z])|galgame|ノベル|视觉小说|視覺小說|文字冒险|美少女/i

/**
 * Returns true if a game looks like a visual novel by its tags or by `游戏类型` in its infobox, which is often the only
 * information about a little-known game.
 */
export function isGalgame(tags: string[], genres: string[]): boolean {
  return (
    tags.some((tag) => GALGAME_TAGS.has(toHalfWidth(tag).toLowerCase())) ||
    genres.some((genre) => GALGAME_GENRE.test(toHalfWidth(genre)))
  )
}
