/** Fields of the catalog: entries, their lists, search, changes. */
export const catalogFieldsZhHans: Record<string, string> = {
  'As `lookup` calls it': '`lookup` 所用的名称',
  'SPDX identifier': 'SPDX 标识符',
  'Of the database first, then of its contents': '先是数据库的许可证，然后是其内容的许可证',
  'To be shown wherever the data are': '凡展示数据之处都须显示的声明',
  'The day the source gives its dump, `YYYY-MM-DD`': '来源为其转储注明的日期，`YYYY-MM-DD`',
  'ISO 8601, UTC, with milliseconds': 'ISO 8601 格式的 UTC 时间，精确到毫秒',
  '`UPSERT`: read it again · `DELETE`: it is not there for you any more · `MERGE`: `merged_to_id` has taken its place':
    '`UPSERT`：重新读取 · `DELETE`：对你已不存在 · `MERGE`：已由 `merged_to_id` 取代',
  'In the order of their ids': '按 ID 的顺序',
  'The last change of all, seen by you or not; 0 when there is none':
    '所有变更中的最后一个，无论你能否看到；没有时为 0',
  'There are more: ask again at once, with the last id as `since`':
    '还有更多：以最后一个 ID 作为 `since`，立即再问',
  'In cm': '单位为 cm',
  'In kg': '单位为 kg',
  'Pages at other sites': '其他网站上的页面',
  '`COMPANY` includes publishers and labels; `labels` has the exact type under `type`':
    '出版社和文库都是 `COMPANY`；`labels` 中的 `type` 会说明',
  'Its id at VNDB: `v4`': 'VNDB 上的 ID，如 `v4`',
  'Its number at Bangumi, as text': 'Bangumi 上的编号（字符串）',
  'Codes may be added: treat an unknown one according to its HTTP status.':
    '错误代码可能会增加：遇到不认识的代码，请按 HTTP 状态处理',
  'Its id at VNDB: `c17`; null where none is known': 'VNDB 上的 ID，如 `c17`；未知时为 null',
  'Its id at VNDB: `p24`; null where none is known': 'VNDB 上的 ID，如 `p24`；未知时为 null',
  'Its id at VNDB: `s81`; null where none is known': 'VNDB 上的 ID，如 `s81`；未知时为 null',
  'Its id at VNDB, 17 for v17; null where none is known': 'VNDB 上的 ID，v17 为 17；未知时为 null',
  'Its id at Bangumi; null where none is known': 'Bangumi 上的 ID；未知时为 null',
  'Its id at RanobeDB; null where none is known': 'RanobeDB 上的 ID；未知时为 null',
  'null when unknown or known only in part': '未知或只知道一部分时为 null',
  'Most votes first': '票数多的在前',
  'The next page, exact whatever comes and goes meanwhile; null on the last':
    '下一页，不受期间增减的影响；最后一页为 null',
  'The translated title or name where there is one, else the original':
    '有译名时为翻译的标题或名称，否则为原名',
  'Of a galgame: the name of the first developer': '美少女游戏：第一个开发商的名称',
  'Of a work: `dev_status`, `novel_status` or `serial_status` of its detail':
    '作品：其详情中的 `dev_status`、`novel_status` 或 `serial_status`',
  'Of a work: the mean of its scores; null when there are none': '作品：评分的平均值；没有评分时为 null',
  'Public records of a work; of a person, producer or character those of all their works':
    '作品的公开记录数；对人物、厂商与出版社、角色，则为其全部作品之和',
  'True if the day is not known. With `dev_status` `RELEASED` it is in the past.':
    '日期未知时为 true；`dev_status` 为 `RELEASED` 时表示已经发售。',
  'What is known: `2026-10`, `2027`': '已知的部分，如 `2026-10`、`2027`',
  "VNDB's codes: `win`, `swi`, `and` …": 'VNDB 的代码，如 `win`、`swi`、`and`',
  'BCP 47': 'BCP 47 语言标签',
  'Name of the first developer': '第一个开发商的名称',
  'Seen only with `catalog:full`': '为 true 的只有 `catalog:full` 才能看到',
  'ISO 3166 alpha-2; empty when unknown': 'ISO 3166 两字母代码（alpha-2）；未知时为空',
  'ISO 3166 alpha-2': 'ISO 3166 两字母代码（alpha-2）',
  'ISO 4217': 'ISO 4217 货币代码',
  '`2007` or `2007-08`, where the day is not known': '不知道具体日期时的 `2007` 或 `2007-08`',
  'How the other galgame is related to this one': '另一部美少女游戏与这一部的关系',
  'The same, more precisely': '同一关系，更为细致',
  '`author`, `illustrator`, `translator`, `editor` …': '`author`、`illustrator`、`translator`、`editor` 等',
  '`bunko`, `publisher` …': '`bunko`、`publisher` 等',
  'May be a fraction: 4.5': '可以是小数，如 4.5',
  'What is printed instead of a plain number': '代替数字印在书上的标记',
  'ISBN-13, digits only, of the printed original where it is known, else of another edition':
    'ISBN-13，只含数字；已知时取原版纸质书，否则取其他版本',
  'ISBN-13 of every edition that is known, translations too': '所有已知版本（包括译本）的 ISBN-13',
  'As it was asked for': '所询问的 ID，原样返回',
  'The id is of this volume of it': '该 ID 所指的卷',
  'In the order asked for; an id that stands for several entries has an item for each':
    '按询问的顺序；一个 ID 对应多个条目时，每个条目各占一项',
  'No entry has them, or it is hidden from this scope': '没有对应的条目，或以该权限看不到',
  'In the order asked for': '按询问的顺序',
  'Not there, or hidden from this scope': '不存在，或以该权限看不到',
  'With `ids`': '发送 `ids` 时',
  'Of the kinds that have hits': '只有有结果的类型',
  'Absolute address': '绝对地址',
  'Sexual content: 0 safe, 1 suggestive, 2 explicit': '性相关内容：0 为安全，1 为轻度，2 为露骨',
  'Violence: 0 safe, 1 suggestive, 2 explicit': '暴力内容：0 为安全，1 为轻度，2 为露骨',
  'Sexual content: 0 is safe': '性相关内容：0 为安全',
  'Violence: 0 is safe': '暴力内容：0 为安全',
  'Either grade is above 0': '任一分级大于 0',
  'Votes for this cover': '这张封面得到的票数',
  'The site, for people: `Official website`, `Steam`': '给人看的网站名称，如 `Official website`、`Steam`',
  'The site, for programs: `website`, `steam`': '供程序使用的网站名称，如 `website`、`steam`',
  'Mean of the scores; 0 when there are none': '评分的平均值；没有时为 0',
  'Scores given, by whole points': '按整数统计的评分数',
  'Readers who gave this tag': '添加这个标签的读者数',
  'On this page': '本页的项数',
  'In the whole list': '整个列表的项数',
  '0 when the list is empty': '列表为空时为 0',
  'As the list of the work has it, in upper case: `SCENARIO`, `AUTHOR`, `ILLUSTRATOR` …; `VOICE` where they speak a character':
    '作品列表中的职务，改为大写，如 `SCENARIO`、`AUTHOR`、`ILLUSTRATOR`；为角色配音时为 `VOICE`',
  'The name the work prints; null when it is the main one': '作品上的署名；与主要名称相同时为 null',
  "'' when there is none": "没有时为 ''",
  'Empty if the credit has no note': "没有备注时为 ''",
  'In upper case: `DEVELOPER`, `PUBLISHER`, `BUNKO`, `MAGAZINE` …':
    '大写，如 `DEVELOPER`、`PUBLISHER`、`BUNKO`、`MAGAZINE`',
  'Galgame: the year. Light novel, manga: status and year. Character: its best known work. Producer: its type.':
    '美少女游戏为年份；轻小说、漫画为状态与年份；角色为其最知名的作品；厂商与出版社为其类型',
  'The strongest reason: the same readers like both, a relation or characters in common, people, tags, or a producer':
    '最主要的理由：同一批读者喜欢、互为相关作品，或有共同的角色、人物、标签、厂商与出版社',
  'The most similar first; none of a work that was added seconds ago':
    '最相似的在前；几秒前才加入的作品还没有相似作品',
  'As the change feed names it': '变更订阅中使用的 ID',
  'Number of works that have it; nsfw ones count only with `catalog:full`':
    '带有该标签的作品数；nsfw 作品只有 `catalog:full` 才计入',
}
