/** Fields of the catalog: entries, their lists, search, changes. */
export const catalogFieldsJa: Record<string, string> = {
  'As `lookup` calls it': '`lookup` で使う名前',
  'SPDX identifier': 'SPDX の識別子',
  'Of the database first, then of its contents': 'データベースのもの、続いて中身のもの',
  'To be shown wherever the data are': 'データを示す所に必ず表示する文',
  'The day the source gives its dump, `YYYY-MM-DD`': 'データ元がダンプに記した日付。`YYYY-MM-DD`',
  'ISO 8601, UTC, with milliseconds': 'ISO 8601 の UTC 時刻（ミリ秒まで）',
  '`UPSERT`: read it again · `DELETE`: it is not there for you any more · `MERGE`: `merged_to_id` has taken its place':
    '`UPSERT`：読み直す · `DELETE`：もう見えない · `MERGE`：`merged_to_id` に統合された',
  'In the order of their ids': 'ID の順',
  'The last change of all, seen by you or not; 0 when there is none':
    '見えるかどうかにかかわらず、最も新しい変更。一つもなければ 0',
  'There are more: ask again at once, with the last id as `since`':
    '続きがある。最後の ID を `since` にして、すぐに尋ねる',
  'In cm': 'cm 単位',
  'In kg': 'kg 単位',
  'Pages at other sites': 'ほかのサイトのページ',
  '`COMPANY` includes publishers and labels; `labels` has the exact type under `type`':
    '出版社とレーベルは `COMPANY`。`labels` の `type` で見分けられる',
  'Its id at VNDB: `v4`': 'VNDB での ID。`v4` の形',
  'Its number at Bangumi, as text': 'Bangumi での番号。文字列',
  'Codes may be added: treat an unknown one according to its HTTP status.':
    'コードは追加されることがある。未知のコードは HTTP ステータスで判断する',
  'Its id at VNDB: `c17`; null where none is known': 'VNDB での ID（`c17` の形）。不明なら null',
  'Its id at VNDB: `p24`; null where none is known': 'VNDB での ID（`p24` の形）。不明なら null',
  'Its id at VNDB: `s81`; null where none is known': 'VNDB での ID（`s81` の形）。不明なら null',
  'Its id at VNDB, 17 for v17; null where none is known': 'VNDB での ID。v17 なら 17。不明なら null',
  'Its id at Bangumi; null where none is known': 'Bangumi での ID。不明なら null',
  'Its id at RanobeDB; null where none is known': 'RanobeDB での ID。不明なら null',
  'null when unknown or known only in part': '不明か、一部しか分からなければ null',
  'Most votes first': '票の多い順',
  'The next page, exact whatever comes and goes meanwhile; null on the last':
    '次のページ。途中で項目が増減しても正確に続く。最後のページでは null',
  'The translated title or name where there is one, else the original': '訳題または訳名。なければ原題、原名',
  'Of a galgame: the name of the first developer': 'ギャルゲームの場合：最初の開発元の名前',
  'Of a work: `dev_status`, `novel_status` or `serial_status` of its detail':
    '作品の場合：詳細の `dev_status`、`novel_status`、`serial_status` のどれか',
  'Of a work: the mean of its scores; null when there are none':
    '作品の場合：評価の平均。評価がなければ null',
  'Public records of a work; of a person, producer or character those of all their works':
    '作品の公開された記録の数。人物、ブランド・出版社、キャラクターの場合は、関わる全作品の合計',
  'True if the day is not known. With `dev_status` `RELEASED` it is in the past.':
    '日付が分からなければ true。`dev_status` が `RELEASED` なら、すでに発売されています。',
  'What is known: `2026-10`, `2027`': '分かっている範囲：`2026-10`、`2027` など',
  "VNDB's codes: `win`, `swi`, `and` …": 'VNDB の記号：`win`、`swi`、`and` など',
  'BCP 47': 'BCP 47 の言語タグ',
  'Name of the first developer': '最初の開発元の名前',
  'Seen only with `catalog:full`': 'true のものは `catalog:full` のときだけ見える',
  'ISO 3166 alpha-2; empty when unknown': 'ISO 3166 の二文字コード（alpha-2）。不明なら空',
  'ISO 3166 alpha-2': 'ISO 3166 の二文字コード（alpha-2）',
  'ISO 4217': 'ISO 4217 の通貨コード',
  '`2007` or `2007-08`, where the day is not known': '日まで分からないときの `2007` や `2007-08`',
  'How the other galgame is related to this one': 'このギャルゲームから見た、相手の位置づけ',
  'The same, more precisely': '同じことを、より細かく',
  '`author`, `illustrator`, `translator`, `editor` …': '`author`、`illustrator`、`translator`、`editor` など',
  '`bunko`, `publisher` …': '`bunko`、`publisher` など',
  'May be a fraction: 4.5': '4.5 のような小数のこともある',
  'What is printed instead of a plain number': '数字の代わりに印刷されている表記',
  'ISBN-13, digits only, of the printed original where it is known, else of another edition':
    'ISBN-13（数字のみ）。分かっていれば原書の紙の版、そうでなければ別の版のもの',
  'ISBN-13 of every edition that is known, translations too': '翻訳を含む、知られているすべての版の ISBN-13',
  'As it was asked for': '尋ねられたとおりの ID',
  'The id is of this volume of it': 'その ID が指す巻',
  'In the order asked for; an id that stands for several entries has an item for each':
    '尋ねられた順。一つの ID が複数の項目を指すときは、項目ごとに一件',
  'No entry has them, or it is hidden from this scope': '該当する項目がないか、このスコープでは見えないもの',
  'In the order asked for': '尋ねられた順',
  'Not there, or hidden from this scope': '存在しないか、このスコープでは見えないもの',
  'With `ids`': '`ids` を送ったとき',
  'Of the kinds that have hits': '結果のある種類だけ',
  'Absolute address': '絶対アドレス',
  'Sexual content: 0 safe, 1 suggestive, 2 explicit': '性的表現：0 は安全、1 は軽度、2 は露骨',
  'Violence: 0 safe, 1 suggestive, 2 explicit': '暴力表現：0 は安全、1 は軽度、2 は露骨',
  'Sexual content: 0 is safe': '性的表現：0 は安全',
  'Violence: 0 is safe': '暴力表現：0 は安全',
  'Either grade is above 0': 'どちらかの段階が 0 より大きい',
  'Votes for this cover': 'この表紙への票',
  'The site, for people: `Official website`, `Steam`': '人に見せるサイト名：`Official website`、`Steam` など',
  'The site, for programs: `website`, `steam`': 'プログラムのためのサイト名：`website`、`steam` など',
  'Mean of the scores; 0 when there are none': '評価の平均。なければ 0',
  'Scores given, by whole points': '付けられた評価の数（整数の点ごと）',
  'Readers who gave this tag': 'このタグを付けた読者の数',
  'On this page': 'このページの件数',
  'In the whole list': 'リスト全体の件数',
  '0 when the list is empty': 'リストが空なら 0',
  'As the list of the work has it, in upper case: `SCENARIO`, `AUTHOR`, `ILLUSTRATOR` …; `VOICE` where they speak a character':
    '作品のリストにある役割を大文字にしたもの：`SCENARIO`、`AUTHOR`、`ILLUSTRATOR` など。キャラクターの声なら `VOICE`',
  'The name the work prints; null when it is the main one': '作品に記された名義。主な名前と同じなら null',
  "'' when there is none": "なければ ''",
  'Empty if the credit has no note': "メモがなければ ''",
  'In upper case: `DEVELOPER`, `PUBLISHER`, `BUNKO`, `MAGAZINE` …':
    '大文字：`DEVELOPER`、`PUBLISHER`、`BUNKO`、`MAGAZINE` など',
  'Galgame: the year. Light novel, manga: status and year. Character: its best known work. Producer: its type.':
    'ギャルゲームは年、ライトノベルと漫画は状態と年、キャラクターは最もよく知られた作品、ブランド・出版社は種別',
  'The strongest reason: the same readers like both, a relation or characters in common, people, tags, or a producer':
    '最も強い理由：同じ読者が好む、関連作である、共通するキャラクター、人物、タグ、ブランド・出版社',
  'The most similar first; none of a work that was added seconds ago':
    '最も似ているものから。追加されて数秒の作品には一件もない',
  'As the change feed names it': '変更フィードでの ID',
  'Number of works that have it; nsfw ones count only with `catalog:full`':
    'このタグの付いた作品の数。nsfw の作品は `catalog:full` のときだけ数える',
}
