const RELEASE_WORD_LISTS = [
  // Words that shops and uploaders add to titles in Japanese, Chinese and English. Some of these words also end real
  // titles, so the full name is searched first.
  'dl dl版 ダウンロード版 パッケージ版 pkg版 通常版 初回版 初回限定版 初回生産限定版 限定版 完全生産限定版 豪華版 豪華限定版 豪华版 廉価版 普及版',
  '新装版 完全版 決定版 特装版 製品版 体験版 体验版 試玩版 试玩版 プレミアム版 デラックス版 dvd版 dvd-rom版 cd版 cd-rom版 pc版 windows版 win版 steam版',
  'dmm版 fanza版 dlsite版 全年齢 全年齢版 全年齢対象版 全年龄 全年龄版 一般版 r18 r18版 r-18 r-18版 18禁 18禁版 成人版 18+ 18x',
  '汉化 汉化版 漢化 漢化版 汉化硬盘版 中文 中文版 中文化 简中 簡中 繁中 简体 繁體 简体中文 繁体中文 繁體中文 简体中文版 繁體中文版 官中 官方中文 官方中文版 机翻',
  '生肉 熟肉 日文版 日版 英文版 日本語版 英語版 硬盘版 硬碟版 免安装 免安装版 绿色版 整合版 重制版 高清版 移植版 电子版 電子版 電子書籍版',
  '修正版 无修正 無修正 存档 补丁 パッチ 修正パッチ アップデート サントラ 特典 予約特典 特典付き 電子書籍特典付き リマスター リマスター版',
  'trial demo hd steam dmm fanza dlsite pc win windows mac linux android ios ps ps2 ps3 ps4 ps5 psp psv vita xbox switch ns krkr ons',
  'ver ver. version edition release deluxe premium limited complete digital standard ultimate definitive special remaster remastered',
  "collector's collectors uncensored unrated crack cracked nodvd nocd repack portable patch patched update",
  'chs cht jp jpn eng english japanese chinese dvd cd dvd-rom cd-rom disc disk vol vol. iso mds mdf rr3 ost soundtrack flac mp3 epub pdf raw',
]
/** Legal forms of companies, longest first. They may be attached to a name without a space. */
export const LEGAL_FORMS: readonly string[] = [
  '股份有限公司',
  '有限公司',
  '株式会社',
  '有限会社',
  '合同会社',
]
const LATIN_LEGAL_FORMS = 'co. co., ltd ltd. co.,ltd co.,ltd. inc inc. corp. llc gmbh'

export const RELEASE_WORDS: ReadonlySet<string> = new Set([
  ...RELEASE_WORD_LISTS.join(' ').split(' '),
  ...LEGAL_FORMS,
  ...LATIN_LEGAL_FORMS.split(' '),
])

/** Words that may be attached to a title without a space, longest first. */
export const RELEASE_ENDINGS: readonly string[] = [...RELEASE_WORDS]
  .filter((word) => word.endsWith('版'))
  .toSorted((a, b) => b.length - a.length)

/** Words that may be followed by a number. The number is dropped with the word. */
export const NUMBERED_WORDS: ReadonlySet<string> = new Set([
  'ver',
  'ver.',
  'version',
  'disc',
  'disk',
  'cd',
  'dvd',
  'vol',
  'vol.',
])

export const FILE_SUFFIXES: ReadonlySet<string> = new Set(
  'zip rar 7z iso mds mdf mdx bin cue img ccd nrg chd exe lnk apk xp3 txt pdf epub mobi azw3 cbz cbr tar gz xz torrent part1 part01 001'.split(
    ' ',
  ),
)
