/** What operations take: parameters, and bodies that are files. */
export const parametersJa: Record<string, string> = {
  'Separated by commas, or the parameter several times: any of them':
    'コンマで区切るか、パラメーターを繰り返す。どれかに合えばよい',
  'The parameter several times: any of them': 'パラメーターを繰り返せる。どれかに合えばよい',
  'The name of a tag; names have commas, so several are sent as several parameters':
    'タグの名前。名前にはコンマが入ることがあるため、複数送るときはパラメーターを繰り返す',
  "VNDB's code: `win`, `swi`": 'VNDB の記号：`win`、`swi` など',
  'BCP 47: `ja`': 'BCP 47：`ja` など',
  '`popularity` when not sent; among equals the smaller id first':
    '省略時は `popularity`。同じ順位では ID の小さいものが先',
  'The last id you have; 0 for everything.': '手元にある最後の ID。0 ならすべて',
  '100 when not sent.': '省略時は 100',
  'A part of the name; case, accents and widths do not matter. More than 100 characters are cut.':
    '名前の一部。大文字と小文字、アクセント記号、全角と半角は区別しない。100 文字を超える部分は切り捨てる',
  '`next_cursor` of the page before, with the same filters; in place of `page`':
    '前のページの `next_cursor`。条件は同じままにする。`page` の代わりに使う',
  'Exactly as works have it, percent-encoded':
    '作品に付いているとおりの名前をパーセントエンコーディングしたもの',
  'Ids of the source: `v17`, `c7`, `p24`, `s81` of VNDB, else numbers. Separated by commas, or the parameter several times':
    'データ元での ID。VNDB は `v17`、`c7`、`p24`、`s81` の形、ほかは数値。コンマで区切るか、パラメーターを繰り返す',
  'In place of source and id: ISBN of 10 or 13 digits, with hyphens or without. Separated by commas, or the parameter several times':
    'データ元と ID の代わりに送る 10 桁か 13 桁の ISBN。ハイフンはあってもなくてもよい。コンマで区切るか、パラメーターを繰り返す',
  'What the ids are of, where a source counts several things from 1: of Bangumi they are of subjects without it, of RanobeDB of series. Separated by commas, or the parameter several times':
    'データ元が複数の種類にそれぞれ 1 から番号を付けているとき、何の ID か。省略時は、Bangumi では条目（subject）、RanobeDB ではシリーズ。コンマで区切るか、パラメーターを繰り返す',
  'Only with, or only without an overall score': '総合評価のあるものだけ、またはないものだけ',
  '`json` when not sent': '省略時は `json`',
  'The service that the file comes from': 'ファイルを書き出したサービス',
  'Only say what would happen; `false` stores it': '何が起こるかだけを調べる。`false` で保存する',
  'Write what the file says over what you have recorded already; what it does not say stays. Unless it is `true` your records are kept as they are.':
    'すでにある記録を、ファイルにある内容で上書きする。ファイルにない内容は残る。`true` でなければ、すでにある記録は変えない',
  'Works that were chosen by hand, at most 500: `9:42,12:7` says that row 9 of the file is about work 42 and row 12 about work 7, whatever their ids say. Each work must be of a kind that its row can be about.':
    '手で選んだ作品。500 件まで。`9:42,12:7` なら、行の ID が何であっても、ファイルの 9 行目は作品 42、12 行目は作品 7 のものとする。作品は、その行に合う種類でなければならない',
  'A part of a title': '作品名の一部',
  '`recent` (default): the last changed first; `score`, `name`, `date` of the work':
    '`recent`（省略時）：最後に変えたものから。`score`：評価順、`name`：作品の名前順、`date`：作品の日付順',
  'Number of days, today included': '日数。今日を含む',
  'Only works in which the entry has one of these roles; all its roles in them are named. Separated by commas, or the parameter several times':
    'これらの役割のどれかを務めた作品だけ。その作品での役割はすべて返す。コンマで区切るか、パラメーターを繰り返す',
  '`default` is the one every reader has': '`default` は、どの読者にもある既定のコレクション',
  'From 1; 1 when only `page_size` is sent.': '1 から。`page_size` だけを送ったときは 1',
  '10 when only `page` is sent.': '`page` だけを送ったときは 10',
  '`added` (default): the last added first; `position`: as its reader has ordered them':
    '`added`（省略時）：最後に入れたものから。`position`：持ち主が並べた順',
  'Kinds of works to look for; without it those of its own kind. Separated by commas, or the parameter several times':
    '探す作品の種類。省略時は同じ種類。コンマで区切るか、パラメーターを繰り返す',
  'Separated by commas, or the parameter several times. One that is repeated is answered once.':
    'コンマで区切るか、パラメーターを繰り返す。同じ ID を重ねても、返るのは一度だけ',
  'A part of the original or the translated title': '原題または訳題の一部',
  'The name its reader has given it, or the id of the reader': '持ち主が付けた名前、または持ち主の ID',
  'Only nsfw works, or only the others; without `catalog:full` there are no nsfw works':
    'nsfw の作品だけ、またはそれ以外だけ。`catalog:full` がなければ nsfw の作品は出ない',
  'A name or a part of one, in any script; the name of a folder; an id or address at VNDB, Bangumi, RanobeDB, Steam, MyAnimeList or AniList; an ISBN. What is longer than 300 characters is cut.':
    '名前またはその一部（どの文字でもよい）、フォルダーの名前、VNDB、Bangumi、RanobeDB、Steam、MyAnimeList、AniList の ID またはアドレス、ISBN。300 文字を超える部分は切り捨てる',
  '`newest` (default); `top`: most likes less dislikes first; `score`: highest first':
    '`newest`（省略時）：新しい順。`top`：参考になった数からならなかった数を引いて、多い順。`score`：評価の高い順',
  'Also the text of reviews that tell what happens; false by default':
    'ネタバレのあるレビューも本文を返す。省略時は false',
  'Separated by commas, or the parameter several times; works of any kind without it':
    'コンマで区切るか、パラメーターを繰り返す。省略時はすべての種類の作品',
  'Kinds to search: `galgame`, `light_novel`, `manga`, `character`, `person`, `producer`; comma-separated or repeated. Unknown kinds are ignored if a known one is given, and rejected otherwise. If omitted, all kinds are searched.':
    '探す種類：`galgame`、`light_novel`、`manga`、`character`、`person`、`producer`。コンマで区切るか、パラメーターを繰り返す。未知の値は、既知の値があれば無視され、なければエラーになる。省略するとすべての種類を検索する',
  'The file as it was exported': '書き出したままのファイル',
  'The picture': '画像',
}
