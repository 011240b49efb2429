/** What operations do. */
export const descriptionsZhHans: Record<string, string> = {
  'With `ids` the details of those entries; no other parameter counts. Without it a page of summaries of the entries that pass every filter sent; of several values of one filter any will do. `total_items` is exact up to 1,000; where there are more it is 1,000. `page` reaches the first 10,000 entries; `next_cursor` reaches all of them, each once, whatever comes, changes and goes meanwhile.':
    '发送 `ids` 时，返回这些条目的详情，其他参数不起作用。不发送时，返回一页摘要，列出符合所有条件的条目；同一条件有多个值时，符合任意一个即可。`total_items` 在 1,000 以内是准确的，超过时为 1,000。`page` 只能到达前 10,000 个条目；`next_cursor` 可以到达全部条目，每个一次，不受期间增加、更改、消失的影响。',
  'Keep the last id you have seen and ask with it as `since`: no change is ever missed, whatever is written meanwhile. With `since=0` everything comes at least once. A work comes again when one of its lists changes, a volume under its own id beside its work, a tag when a work first has it; ratings never come. When there is no more, `latest_id` serves as `since` just as well as the last id.':
    '记下你见过的最后一个 ID，下次作为 `since` 发送：无论期间写入了什么，都不会漏掉任何变更。`since=0` 时，所有内容至少出现一次。作品的某个列表变化时，作品会再次出现；卷除作品之外，还以自己的 ID 出现；标签在第一次有作品带有它时出现；评分从不出现。没有更多变更时，`latest_id` 与最后一个 ID 同样可以作为 `since`。',
  'Requests are counted by client address.': '次数按客户端地址计算。',
  'With `q` the tags that have it in their names, those that begin with it first. `total_items` is exact up to 1,000.':
    '发送 `q` 时，返回名称中含有它的标签，以它开头的在前。`total_items` 在 1,000 以内是准确的。',
  'A tag that none of the works you may see has is not there.':
    '如果你能看到的作品都没有某个标签，这个标签就视为不存在。',
  'A work is one item, with every role the entry has in it. Works without a date come last.':
    '每部作品为一项，包含条目在其中的全部职务或角色。没有日期的作品排在最后。',
  'For programs that know a work from elsewhere. A volume is found as its work. What was merged is found as what it was merged into.':
    '供已经从别处知道某部作品的程序使用。查找卷时得到它所属的作品；查找已合并的条目时得到合并后的条目。',
  'Exact titles first, then other exact names, names that begin with it, names with all of its words, names that contain it; among equals the most read first. When nothing is found, one slip in five Latin letters is forgiven. `total_items` is exact up to 1000; where there are more it is 1000, and no more are listed.':
    '标题完全一致的在最前，其后依次是其他名称完全一致的、以它开头的、包含所有词的、中间含有它的；同等情况下，读者多的在前。什么也找不到时，每五个拉丁字母容许一处笔误。`total_items` 在 1000 以内是准确的；超过时为 1000，之后的不再列出。',
  "As JSON, or as a table for a spreadsheet: in it, a text that would be taken for a formula begins with `'`. The JSON can be imported again.":
    "格式为 JSON，或供电子表格使用的表格：表格中可能被当作公式的文字以 `'` 开头。JSON 可以重新导入。",
  'Send the file as it was exported, packed with gzip or not. Nothing is stored unless `dry_run=false`; the report says row by row what becomes of it. Works are found by their ids at the sources. Everything goes in or nothing. Your own export comes back whole, but for ids, times and likes. Private notes of other services do not become reviews, and a record that is private here is made public by no file but your own.':
    '原样发送导出的文件，可以用 gzip 压缩，也可以不压缩。除非发送 `dry_run=false`，否则什么也不保存；报告会逐行说明结果。作品按来源的 ID 查找。要么全部导入，要么什么也不导入。自己导出的文件可以完整还原，只有 ID、时间和“有用”数除外。其他服务中的私密备注不会变成评论；在这里设为私密的记录，只有自己导出的文件才能使其公开。',
  'From what the same readers rate highly, and where too few do, from relations, characters, people, tags and producers in common. What readers keep private plays no part.':
    '依据同一批读者评分高的作品得出；这样的读者太少时，依据相关作品，以及共同的角色、人物、标签、厂商与出版社得出。读者设为私密的内容不参与计算。',
  'For ten minutes it can be brought back.': '删除后十分钟内可以恢复。',
  "Without `note` the note there is stays; null or '' clears it. Any work may be kept, nsfw or not.":
    "不发送 `note` 时保留原有备注；null 或 '' 会清除备注。任何作品都可以收藏，无论是否 nsfw。",
  'The works in between move by one. Until the first move a collection has the last added first; what is added after that comes last.':
    '中间的作品依次移动一位。第一次移动之前，收藏夹中最后放入的在前；移动之后放入的排在末尾。',
  'If you have an open report about the same thing, that report is the answer (200).':
    '如果你对同一内容已有未处理的举报，则返回那次举报（200）。',
  'A name you have held stays yours. Nothing private becomes visible.':
    '你用过的名称始终归你所有。私密的内容不会因此公开。',
  'PATCH `logo` with null to take it away.': '要去掉标志，请用 PATCH 将 `logo` 设为 null。',
}
