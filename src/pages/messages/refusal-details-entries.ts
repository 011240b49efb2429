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
  [
    'A {0} has no field {1} to set. Did you mean {2}?',
    '{0}に設定できるフィールド {1} はありません。{2} のことですか？',
    '{0}没有可设置的字段 {1}。你是不是要找 {2}？',
  ],
]
