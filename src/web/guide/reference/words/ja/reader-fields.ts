/** Fields of what readers record, collect, show and report. */
export const readerFieldsJa: Record<string, string> = {
  'The reader it belongs to': '持ち主である読者',
  'Only its reader sees it': '持ち主だけに見える',
  'The one every reader has': 'どの読者にもある既定のコレクション',
  'Last change of it or of what is in it': 'コレクションまたは中身を最後に変えた時刻',
  'Id of the item; `work_id` is the id of the work': '項目の ID。作品の ID は `work_id`',
  '`article` and `post` match nothing': '`article` と `post` に一致するものはありません',
  'Reviews that use the word': 'その言葉を使っているレビューの数',
  'Most used first, at most 50': '多く使われている順、最大 50 件',
  'The first page fixes the order of all records. Later pages of the same app keep it for half an hour, cursors for an hour, so records that change in between are neither repeated nor skipped.':
    '最初のページで全記録の順序が決まります。同じアプリの次のページは三十分間、カーソルは一時間その順序に従うので、途中で変わった記録が重複したり抜けたりしません。',
  '`next_cursor` of a page, instead of `page`': 'ページの `next_cursor`。`page` の代わりに使います',
  'The next page; null on the last': '次のページ。最後のページでは null',
  'Id of the work': '作品の ID',
  'Id of the record': '記録の ID',
  "'' when there is none; as public as the collection": "なければ ''。コレクションを見られる人には見える",
  'When it was added': '入れた時刻',
  'Last change of the note': 'メモを最後に変えた時刻',
  'The nickname, or else the name': 'ニックネーム。なければ名前',
  '1 to 255 characters after trimming, no control characters':
    '前後の空白を除いて 1 から 255 文字。制御文字は使えない',
  'At most 2000 characters': '2000 文字まで',
  'The words of `items`, in the format that rating walls read':
    '`items` と同じ語。評価の一覧を表示するプログラム向けの形式',
  'Of every type, narrowed by the keyword alone': '種類ごとの件数。絞り込みはキーワードだけ',
  'Its place in `sort=position`, from 1; a number beyond the last means the last':
    '`sort=position` での位置。1 から。最後より大きければ最後になる',
  'Without `catalog:full`, nsfw works are not counted': '`catalog:full` がなければ nsfw の作品は数えない',
  'Readers who like the review': 'レビューが参考になった読者の数',
  'Readers who dislike the review': 'レビューが参考にならなかった読者の数',
  'Readers who like it': '参考になった読者の数',
  'Readers who dislike it': '参考にならなかった読者の数',
  'The review tells what happens': 'レビューにネタバレがある',
  'Overall: 1 to 10, at most one decimal': '総合評価：1 から 10、小数は一桁まで',
  'scenario: 1 to 10, at most one decimal': 'シナリオ：1 から 10、小数は一桁まで',
  'direction: 1 to 10, at most one decimal': '演出：1 から 10、小数は一桁まで',
  'music: 1 to 10, at most one decimal': '音楽：1 から 10、小数は一桁まで',
  'visual: 1 to 10, at most one decimal': 'グラフィック：1 から 10、小数は一桁まで',
  'character: 1 to 10, at most one decimal': 'キャラクター：1 から 10、小数は一桁まで',
  'system: 1 to 10, at most one decimal': 'システム：1 から 10、小数は一桁まで',
  'illustration: 1 to 10, at most one decimal': 'イラスト：1 から 10、小数は一桁まで',
  'pacing: 1 to 10, at most one decimal': 'テンポ：1 から 10、小数は一桁まで',
  'plot: 1 to 10, at most one decimal': 'ストーリー：1 から 10、小数は一桁まで',
  'worldview: 1 to 10, at most one decimal': '世界観：1 から 10、小数は一桁まで',
  'writing: 1 to 10, at most one decimal': '文章：1 から 10、小数は一桁まで',
  'Review: at most 5000 characters; lines end with `\\n`': 'レビュー：5000 文字まで。改行は `\\n`',
  'Only the owner sees the record; its score counts, anonymously, in averages':
    '記録は本人だけに見える。評価は名前なしで平均に入る',
  'Source → its id of the work': 'データ元 → そこでの作品の ID',
  Ignored: '無視される',
  'The mean of the scores, to two decimals; null when there are none':
    '評価の平均（小数二桁まで）。なければ null',
  'Scores given': '付けられた評価の数',
  'Reviews that everybody may read': '誰でも読めるレビューの数',
  'Readers who have begun with it: of any status but `PLAN`': '始めた読者の数：状態が `PLAN` 以外のもの',
  'Readers with a record that is not private, whether it has a status or not':
    '非公開でない記録のある読者の数。状態の有無は問わない',
  'Scores given, by whole points from 1 to 10: 8.5 is under 8':
    '付けられた評価の数を 1 から 10 の整数ごとに数えたもの。8.5 は 8 に入る',
  'Scores given, by whole points: 8.5 is under 8':
    '付けられた評価の数を整数の点ごとに数えたもの。8.5 は 8 に入る',
  'As `average`, of this sub-score': '`average` と同じものを、この項目別の評価について',
  'Readers by status, without those who keep theirs to themselves':
    '状態ごとの読者の数。記録を非公開にしている読者は含まない',
  'To two decimals; null when there are no scores': '小数二桁まで。評価がなければ null',
  'The mean as if ten more readers had given the mean of all works of this kind: for comparing works few have scored':
    'この種類の全作品の平均を付けた読者がさらに十人いるものとした平均。評価の少ない作品どうしを比べるためのもの',
  'Empty when it tells what happens (`is_spoiler`) and `spoilers=true` was not sent':
    'ネタバレがあり（`is_spoiler`）、`spoilers=true` を送らなかったときは空',
  'Translated, where there is a translation': '訳があれば訳',
  'The sub-scores that are set, without the others': '付けてある項目別の評価だけ',
  'null: there is no such thing here': 'この機能はないため null',
  '0: there is no such thing here': 'この機能はないため 0',
  'false: there is no such thing here': 'この機能はないため false',
  'Empty: there is no such thing here': 'この機能はないため空',
  'Always `USER`': '常に `USER`',
  '`src` of the avatar': 'プロフィール画像の `src`',
  'Without it there is no profile, whatever else is chosen':
    'false なら、ほかに何を選んでもプロフィールは出ない',
  'In its address, `/u/{name}`: 3 to 32 letters a–z, digits and hyphens; null: the id stands there':
    'アドレス `/u/{name}` に使う名前：英小文字 a–z、数字、ハイフンで 3 から 32 文字。null なら ID になる',
  'Search engines may list it': '検索エンジンに載せてもよい',
  'Which parts its reader shows; the others answer 404': '持ち主が公開している部分。ほかの部分は 404 になる',
  'Number of records': '記録の数',
  'How many of them are completed': 'そのうち完了したものの数',
  'Minutes they took, added up': 'かかった時間の合計（分）',
  '`YYYY-MM`, of UTC': 'UTC での `YYYY-MM`',
  'Works completed in it': 'その月に完了した作品の数',
  'The app that did it': '変更したアプリ',
  'Field → what it was and what it became': '項目 → 変更前と変更後の値',
  'Nothing was stored': '何も保存していない',
  'What the file holds that is not taken over, with the number of rows':
    'ファイルにあって取り込まれない内容と、その行数',
  'Its place in the file, for `match`': 'ファイルの中の位置。`match` で使う',
  'Its line, where the file is XML': 'ファイルが XML のときの行番号',
  'As the file has it': 'ファイルにあるとおりの作品名',
  'Why it did not go in': '取り込まれなかった理由',
  'Field → what it is and what it becomes': '項目 → 今の値と、これからの値',
  'In the order of the file: every row that did not go in, and the first 200 others':
    'ファイルの順。取り込まれなかった行すべてと、それ以外の最初の 200 行',
  'Path of the page that shows it': 'それが表示されるページのパス',
  '`UPHELD`: it was hidden; `DISMISSED`: it stays': '`UPHELD`：非表示にした · `DISMISSED`：そのまま残す',
  'Why, in the words of the moderator': 'モデレーターが書いた理由',
  'Id of the review (that of its rating record), of the reader, or of the entry that has the picture':
    'レビューの ID（その評価の記録の ID）、読者の ID、または画像のある項目の ID',
  'Of a picture: the kind of the entry that has it, or `profile` for that of a reader':
    '画像の場合：その画像のある項目の種類。読者の画像なら `profile`',
  'Of a picture of an entry: its address, as the catalog gives it':
    '項目の画像の場合：カタログにあるとおりの画像のアドレス',
}
