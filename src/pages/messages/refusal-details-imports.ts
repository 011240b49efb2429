import type { DetailWords } from './refusal-details.ts'

/** What imports remark; `{0}` may be a kind of records, or one of the parts below. */
export const REMARK_DETAILS: readonly DetailWords[] = [
  ['other remarks', 'その他の注記', '其他备注'],
  [
    'may be the same as another entry: for review ("mokuroku matches list")',
    'ほかの項目と同じかもしれません：確認待ち（「mokuroku matches list」）',
    '可能与另一条目相同：等待审核（“mokuroku matches list”）',
  ],
  [
    'joined records that contradict each other: split wrong ones ("mokuroku unmerge")',
    '統合済みで内容が矛盾する記録：誤りなら分離してください（「mokuroku unmerge」）',
    '已合并但内容互相矛盾的记录：若有误请拆分（“mokuroku unmerge”）',
  ],
  [
    'known to be the same as an entry that has another record of that source: left for review',
    '同じデータ元の別の記録をもつ項目と同じと分かっているもの：確認待ち',
    '已知与某条目相同，而该条目已有同一来源的另一记录：等待审核',
  ],
  [
    'known to be the same as another entry, and readers have records of both: left for review',
    'ほかの項目と同じと分かっているが、読者の記録が両方にあるもの：確認待ち',
    '已知与另一条目相同，但两者都有读者的记录：等待审核',
  ],
  [
    'known to be the same as another entry: merged',
    'ほかの項目と同じと分かっているもの：統合しました',
    '已知与另一条目相同：已合并',
  ],
  ['passed over: {0}', '対象外：{0}', '已略过：{0}'],
  [
    'volume that several works claim; the first keeps it',
    '複数の作品に属する巻：最初の作品の巻とします',
    '多部作品都包含的卷：归第一部作品',
  ],
  ['infobox that cannot be read; ignored', '読み取れない情報欄：無視します', '无法读取的信息框：已忽略'],
  [
    'row that repeats an id; the first counts',
    'ID が重複する行：最初の行を使います',
    'ID 重复的行：以第一行为准',
  ],
  ['platform without a code of ours', '対応するコードのないプラットフォーム', '没有对应代码的平台'],
  [
    'manga credit without a role of ours: {0}',
    '対応する役割のない漫画のスタッフ：{0}',
    '没有对应职位的漫画制作人员：{0}',
  ],
  ['record whose id is too long: left out', 'ID が長すぎる記録：除外しました', 'ID 过长的记录：已排除'],
  ['{0} without a name: left out', '名前のない{0}：除外しました', '没有名称的{0}：已排除'],
  [
    '{0}.{1} is cut where it is too long',
    '{0}の{1}：長すぎるため途中まで取り込んだもの',
    '{0}的{1}：过长，已截断',
  ],
  [
    '{0}.{1} is left out where a text is too long',
    '{0}の{1}：文字列が長すぎるため取り込まなかったもの',
    '{0}的{1}：文本过长，未采用',
  ],
  [
    '{0}.{1} is left out where it is no such date or number',
    '{0}の {1}：日付または数値として正しくないものを除外しました',
    '{0}的 {1}：不是有效日期或数字的已排除',
  ],
  [
    'the same id twice in one source: the first counts',
    '一つのデータ元に同じ ID が二つ：最初のものを使います',
    '同一来源中有两个相同的 ID：以第一个为准',
  ],
  ['a series without a title is left out', '題のないシリーズを除外しました', '没有标题的系列已排除'],
  [
    'a book of two series is a volume of the first',
    '二つのシリーズに属する本は最初のシリーズの巻とします',
    '属于两个系列的书归第一个系列',
  ],
  ['a person without a name is left out', '名前のない人物を除外しました', '没有名字的人物已排除'],
  [
    'a producer without a name is left out',
    '名前のないブランド・出版社を除外しました',
    '没有名称的厂商与出版社已排除',
  ],
  ['a character without a name is left out', '名前のないキャラクターを除外しました', '没有名字的角色已排除'],
  ['a novel without a title is left out', '作品名のない作品を除外しました', '没有标题的作品已排除'],
  [
    'a credit of nobody in the dump is left out',
    'ダンプにない人物のスタッフ情報を除外しました',
    '转储中没有其人的制作人员信息已排除',
  ],
  [
    'a voice of nobody in the dump is left out',
    'ダンプにない人物の声優情報を除外しました',
    '转储中没有其人的配音信息已排除',
  ],
  // Only runs of earlier versions have this remark.
  ['an unknown relation is left out', '未知の関係を除外しました', '未知的关系已排除'],
  ['unknown value in {0}: {1}', '{0} に未知の値があります：{1}', '{0} 中有未知的值：{1}'],
  ['a row lacks {0}', '{0} のない行があります', '有的行缺少 {0}'],
  [
    'a relation of a work to itself is left out',
    '作品自身への関連付けを除外しました',
    '作品与自身的关系已排除',
  ],
  ['a birthday that there is not is left out', '存在しない誕生日を除外しました', '不存在的生日已排除'],
  [
    'a row that cannot be read is left out: {0}',
    '読み取れない行を除外しました：{0}',
    '无法读取的行已排除：{0}',
  ],
  [
    'the table {0} is missing: {1}',
    '表 {0} がありません。その内容は取り込まれません。',
    '缺少表 {0}，其内容不会导入。',
  ],
  [
    'the table {0} is empty: {1}',
    '表 {0} が空です。その内容は取り込まれません。',
    '表 {0} 为空，其内容不会导入。',
  ],
  [
    'the table {0} lacks the column {1}: {2}',
    '表 {0} に列 {1} がありません。その内容は取り込まれません。',
    '表 {0} 缺少列 {1}，其内容不会导入。',
  ],
  [
    'the table {0} lacks the columns {1}: {2}',
    '表 {0} に列 {1} がありません。その内容は取り込まれません。',
    '表 {0} 缺少列 {1}，其内容不会导入。',
  ],
  ['a column is missing', '列がありません', '缺少列'],
]

/** What is passed over, and why a row cannot be read. */
export const REMARK_PARTS: readonly DetailWords[] = [
  ['anime', 'アニメ', '动画'],
  ['music', '音楽', '音乐'],
  ['television and film', 'テレビ・映画', '影视'],
  ['software', 'ソフトウェア', '软件'],
  ['DLC', '追加コンテンツ（DLC）', '追加内容（DLC）'],
  ['tabletop', '卓上ゲーム', '桌游'],
  ['type {0}', '種別 {0}', '类型 {0}'],
  ['game that is no galgame', 'ギャルゲームではないゲーム', '不是美少女游戏的游戏'],
  ['book that is neither manga nor novel', '漫画でも小説でもない本', '既非漫画也非小说的书'],
  ['volume whose series is not in the dump', 'シリーズがダンプにない巻', '所属系列不在转储中的卷'],
  ['other edition of a volume', '巻の別の版', '某卷的其他版本'],
  ['character without a name', '名前のないキャラクター', '没有名字的角色'],
  ['person without a name', '名前のない人物', '没有名字的人物'],
  ['work without a title', '作品名のない作品', '没有标题的作品'],
  ['it is not UTF-8', 'UTF-8 ではありません', '不是 UTF-8'],
  ['it is no row of {0}', '{0} の行ではありません', '不是 {0} 的行'],
  ['it has more or fewer columns than its header', '列の数が見出しと違います', '列数与表头不符'],
  ['it has no id as its source gives them', 'データ元の ID がありません', '没有来源的 ID'],
]
