import type { DetailWords } from './refusal-details.ts'

/** Why entries cannot become one, or two again, and why a field cannot be set; a kind and its id, such as `person 7`, are one value. */
export const ENTRY_DETAILS: readonly DetailWords[] = [
  ['There is no match {0}.', '照合 {0} はありません。', '没有匹配 {0}。'],
  [
    'Match {0} is one entry already, {1}: unmerge it first.',
    '照合 {0} はすでに一つの項目 {1} です。先に統合を解除してください。',
    '匹配 {0} 已是同一条目 {1}。请先拆分。',
  ],
  [
    'The {0} cannot be merged into itself.',
    '{0} をそれ自身に統合することはできません。',
    '{0} 不能合并到自身。',
  ],
  [
    'The {0} was merged into {1} already: unmerge it first.',
    '{0} はすでに {1} に統合されています。先に統合を解除してください。',
    '{0} 已合并到 {1}。请先拆分。',
  ],
  [
    'The {0} was merged into {1} since: unmerge that first.',
    '{0} はその後 {1} に統合されました。先にその統合を解除してください。',
    '{0} 后来合并到了 {1}。请先拆分那次合并。',
  ],
  [
    'The {0} was merged into {1}: unmerge it first.',
    '{0} は {1} に統合されています。先に統合を解除してください。',
    '{0} 已合并到 {1}。请先拆分。',
  ],
  [
    'The {0} was merged into {1}: merge into {2}.',
    '{0} は {1} に統合されています。{2} に統合してください。',
    '{0} 已合并到 {1}。请合并到 {2}。',
  ],
  ['The {0} was not merged into {1}.', '{0} は {1} に統合されていません。', '{0} 未曾合并到 {1}。'],
  ['There is no {0}: {1} is a {2}.', '{0} はありません。{1} は{2}です。', '没有{0}：{1} 是{2}。'],
  ['There is no {0}.', '{0} はありません。', '没有{0}。'],
  [
    'A {0} has no field {1} to set. It has {2}.',
    '{0}に設定できるフィールド {1} はありません。あるのは {2} です。',
    '{0}没有可设置的字段 {1}。可设置的有 {2}。',
  ],
]

/** What is wrong with the value of a field, whose name stands before it. */
export const VALUE_DETAILS: readonly DetailWords[] = [
  [
    'must be a day of the calendar, such as 2004-04-28; {0} is not.',
    '2004-04-28 のような実在する日付を入力してください（入力：{0}）。',
    '须为实际存在的日期，例如 2004-04-28（输入的是 {0}）。',
  ],
  // An empty value has nothing between the words.
  [
    'must be a day of the calendar, such as 2004-04-28;  is not.',
    '2004-04-28 のような実在する日付を入力してください。',
    '须为实际存在的日期，例如 2004-04-28。',
  ],
  ['must match pattern "{0}".', '形式が正しくありません：{0}', '格式不正确：{0}'],
  ['takes JSON, and this is none: ', 'JSON で書いてください。', '须为 JSON。'],
  [
    'takes JSON, and this is none: {0}',
    'JSON で書いてください。これは JSON ではありません：{0}',
    '须为 JSON，而这不是 JSON：{0}',
  ],
  [
    'must be equal to one of the allowed values: {0}.',
    '次のどれかでなければなりません：{0}',
    '须为以下之一：{0}',
  ],
  ['must have required properties {0}.', '{0} が必要です。', '缺少 {0}。'],
  ['must not have additional properties.', 'このような項目があってはなりません。', '不得有其他字段。'],
  ['must not have more than {0} characters.', '{0} 文字以下でなければなりません。', '最多 {0} 个字符。'],
  ['must not have fewer than {0} characters.', '{0} 文字以上でなければなりません。', '至少 {0} 个字符。'],
  ['must not have more than {0} items.', '{0} 個以下でなければなりません。', '最多 {0} 项。'],
  ['must not have fewer than {0} items.', '{0} 個以上でなければなりません。', '至少 {0} 项。'],
  ['must not have more than {0} properties.', '項目は {0} 個以下でなければなりません。', '最多 {0} 个字段。'],
  [
    'must not have fewer than {0} properties.',
    '項目は {0} 個以上でなければなりません。',
    '至少 {0} 个字段。',
  ],
]
