/** What operations take: parameters, and bodies that are files. */
export const parametersZhHans: Record<string, string> = {
  'Separated by commas, or the parameter several times: any of them':
    '用逗号分隔，或重复该参数；符合任意一个即可',
  'The parameter several times: any of them': '可重复该参数；符合任意一个即可',
  'The name of a tag; names have commas, so several are sent as several parameters':
    '标签名称。名称中可能有逗号，因此发送多个时须重复该参数',
  "VNDB's code: `win`, `swi`": 'VNDB 的代码，如 `win`、`swi`',
  'BCP 47: `ja`': 'BCP 47，如 `ja`',
  '`popularity` when not sent; among equals the smaller id first':
    '省略时为 `popularity`；同等情况下，ID 小的在前',
  'The last id you have; 0 for everything.': '你已有的最后一个 ID；0 表示全部',
  '100 when not sent.': '省略时为 100',
  'A part of the name; case, accents and widths do not matter. More than 100 characters are cut.':
    '名称的一部分，不区分大小写、重音符号和全半角。超过 100 个字符的部分会被截去',
  '`next_cursor` of the page before, with the same filters; in place of `page`':
    '上一页的 `next_cursor`，条件须保持不变；用来代替 `page`',
  'Exactly as works have it, percent-encoded': '与作品上的名称完全一致，并经过百分号编码',
  'Ids of the source: `v17`, `c7`, `p24`, `s81` of VNDB, else numbers. Separated by commas, or the parameter several times':
    '来源的 ID：VNDB 为 `v17`、`c7`、`p24`、`s81` 的形式，其他来源为数字。用逗号分隔，或重复该参数',
  'In place of source and id: ISBN of 10 or 13 digits, with hyphens or without. Separated by commas, or the parameter several times':
    '代替来源与 ID：10 位或 13 位的 ISBN，可带连字符，也可不带。用逗号分隔，或重复该参数',
  'What the ids are of, where a source counts several things from 1: of Bangumi they are of subjects without it, of RanobeDB of series. Separated by commas, or the parameter several times':
    '来源对多类内容各自从 1 开始编号时，说明 ID 属于哪一类；省略时，Bangumi 为条目（subject），RanobeDB 为系列。用逗号分隔，或重复该参数',
  'Only with, or only without an overall score': '只要有总评分的，或只要没有总评分的',
  '`json` when not sent': '省略时为 `json`',
  'The service that the file comes from': '导出该文件的服务',
  'Only say what would happen; `false` stores it': '只说明会发生什么；`false` 表示保存',
  'Write what the file says over what you have recorded already; what it does not say stays. Unless it is `true` your records are kept as they are.':
    '用文件中的内容覆盖已有的记录；文件中没有的内容保留。除非为 `true`，已有的记录保持不变',
  'Works that were chosen by hand, at most 500: `9:42,12:7` says that row 9 of the file is about work 42 and row 12 about work 7, whatever their ids say. Each work must be of a kind that its row can be about.':
    '手动选定的作品，最多 500 部：`9:42,12:7` 表示无论行中的 ID 是什么，文件第 9 行对应作品 42，第 12 行对应作品 7。作品的类型须与该行相符',
  'A part of a title': '标题的一部分',
  '`recent` (default): the last changed first; `score`, `name`, `date` of the work':
    '`recent`（默认）：最近更改的在前；`score`：按评分；`name`：按标题；`date`：按作品日期',
  'Number of days, today included': '天数，包括今天',
  'Only works in which the entry has one of these roles; all its roles in them are named. Separated by commas, or the parameter several times':
    '只要条目在其中担任这些职务或角色之一的作品；会列出它在该作品中的全部职务或角色。用逗号分隔，或重复该参数',
  '`default` is the one every reader has': '`default` 是每位读者都有的默认收藏夹',
  'From 1; 1 when only `page_size` is sent.': '从 1 开始；只发送 `page_size` 时为 1',
  '10 when only `page` is sent.': '只发送 `page` 时为 10',
  '`added` (default): the last added first; `position`: as its reader has ordered them':
    '`added`（默认）：最后放入的在前；`position`：按创建者排列的顺序',
  'Kinds of works to look for; without it those of its own kind. Separated by commas, or the parameter several times':
    '要查找的作品类型；省略时为同一类型。用逗号分隔，或重复该参数',
  'Separated by commas, or the parameter several times. One that is repeated is answered once.':
    '用逗号分隔，或重复该参数。重复的 ID 只返回一次',
  'A part of the original or the translated title': '原标题或译名的一部分',
  'The name its reader has given it, or the id of the reader': '读者为主页起的名称，或读者的 ID',
  'Only nsfw works, or only the others; without `catalog:full` there are no nsfw works':
    '只要 nsfw 作品，或只要其他作品；没有 `catalog:full` 时不会出现 nsfw 作品',
  'A name or a part of one, in any script; the name of a folder; an id or address at VNDB, Bangumi, RanobeDB, Steam, MyAnimeList or AniList; an ISBN. What is longer than 300 characters is cut.':
    '任何文字的名称或其一部分、文件夹的名称、VNDB、Bangumi、RanobeDB、Steam、MyAnimeList 或 AniList 的 ID 或地址、ISBN。超过 300 个字符的部分会被截去',
  '`newest` (default); `top`: most likes less dislikes first; `score`: highest first':
    '`newest`（默认）：最新的在前；`top`：“有用”减去“没用”，多的在前；`score`：评分高的在前',
  'Also the text of reviews that tell what happens; false by default': '也返回含剧透评论的正文；默认为 false',
  'Separated by commas, or the parameter several times; works of any kind without it':
    '用逗号分隔，或重复该参数；省略时为任何类型的作品',
  'Kinds to search: `galgame`, `light_novel`, `manga`, `character`, `person`, `producer`; comma-separated or repeated. Unknown kinds are ignored if a known one is given, and rejected otherwise. If omitted, all kinds are searched.':
    '要搜索的类型：`galgame`、`light_novel`、`manga`、`character`、`person`、`producer`；用逗号分隔，或重复该参数。未知的值在有已知值时会被忽略，否则会返回错误；省略时搜索全部类型',
  'The file as it was exported': '原样的导出文件',
  'The picture': '图片',
}
