/** What operations do. */
export const descriptionsJa: Record<string, string> = {
  'With `ids` the details of those entries; no other parameter counts. Without it a page of summaries of the entries that pass every filter sent; of several values of one filter any will do. `total_items` is exact up to 1,000; where there are more it is 1,000. `page` reaches the first 10,000 entries; `next_cursor` reaches all of them, each once, whatever comes, changes and goes meanwhile.':
    '`ids` を送ると、その項目の詳細を返します。ほかのパラメーターは効きません。送らなければ、条件をすべて満たす項目の要約を一ページ返します。一つの条件に値が複数あるときは、どれかに合えば十分です。`total_items` は 1,000 まで正確で、それより多いときは 1,000 です。`page` で届くのは最初の 10,000 件まで、`next_cursor` なら、途中で項目が増え、変わり、消えても、全件に一度ずつ届きます。',
  'Keep the last id you have seen and ask with it as `since`: no change is ever missed, whatever is written meanwhile. With `since=0` everything comes at least once. A work comes again when one of its lists changes, a volume under its own id beside its work, a tag when a work first has it; ratings never come. When there is no more, `latest_id` serves as `since` just as well as the last id.':
    '最後に見た ID を保存し、次は `since` として送ります。その間に何が書き込まれても、変更を見落とすことはありません。`since=0` なら、すべてが少なくとも一度は届きます。作品は、そのリストのどれかが変わったときにも届きます。巻は作品とは別に自分の ID で、タグは作品に初めて付いたときに届きます。評価は届きません。続きがないときは、最後の ID の代わりに `latest_id` を `since` にしてもかまいません。',
  'Requests are counted by client address.': '回数は接続元のアドレスごとに数えます。',
  'With `q` the tags that have it in their names, those that begin with it first. `total_items` is exact up to 1,000.':
    '`q` を送ると、名前にその文字列を含むタグを返します。その文字列で始まるものが先です。`total_items` は 1,000 まで正確です。',
  'A tag that none of the works you may see has is not there.':
    '見ることのできる作品のどれにも付いていないタグは、存在しないものとして扱います。',
  'A work is one item, with every role the entry has in it. Works without a date come last.':
    '一つの作品が一件になり、その作品での役割をすべて含みます。日付のない作品は最後に並びます。',
  'For programs that know a work from elsewhere. A volume is found as its work. What was merged is found as what it was merged into.':
    '作品をほかのサイトの ID で知っているプログラムのための操作です。巻を探すと、その作品が見つかります。統合された項目を探すと、統合先が見つかります。',
  'Exact titles first, then other exact names, names that begin with it, names with all of its words, names that contain it; among equals the most read first. When nothing is found, one slip in five Latin letters is forgiven. `total_items` is exact up to 1000; where there are more it is 1000, and no more are listed.':
    '作品名の完全一致が最初で、ほかの名前の完全一致、その語で始まる名前、すべての語を含む名前、途中に含む名前と続きます。同じ順位では、よく読まれているものが先です。何も見つからないときは、ラテン文字五文字につき一か所の書き間違いを許します。`total_items` は 1000 まで正確です。それより多いときは 1000 で、その先は返しません。',
  "As JSON, or as a table for a spreadsheet: in it, a text that would be taken for a formula begins with `'`. The JSON can be imported again.":
    "JSON か、表計算ソフトのための表です。表では、数式と見なされるおそれのある文章の先頭に `'` が付きます。JSON は再び取り込めます。",
  'Send the file as it was exported, packed with gzip or not. Nothing is stored unless `dry_run=false`; the report says row by row what becomes of it. Works are found by their ids at the sources. Everything goes in or nothing. Your own export comes back whole, but for ids, times and likes. Private notes of other services do not become reviews, and a record that is private here is made public by no file but your own.':
    '書き出したファイルをそのまま送ります。gzip で圧縮してあってもかまいません。`dry_run=false` を送らない限り何も保存せず、各行がどうなるかを報告します。作品はデータ元の ID で探します。すべてが入るか、何も入らないかのどちらかです。自分の書き出しは、ID、時刻、参考になった数を除いてすべて元に戻ります。ほかのサービスの非公開メモがレビューになることはなく、ここで非公開の記録が公開に変わるのは、自分の書き出しを取り込んだときだけです。',
  'From what the same readers rate highly, and where too few do, from relations, characters, people, tags and producers in common. What readers keep private plays no part.':
    '同じ読者が高く評価している作品から選びます。そうした読者が少ないときは、関連作、共通するキャラクター、人物、タグ、ブランド・出版社から選びます。読者が非公開にしている記録は使いません。',
  'For ten minutes it can be brought back.': '削除してから十分以内なら、元に戻せます。',
  "Without `note` the note there is stays; null or '' clears it. Any work may be kept, nsfw or not.":
    "`note` を送らなければ、メモはそのまま残ります。null か '' で消えます。作品は nsfw かどうかにかかわらず入れられます。",
  'The works in between move by one. Until the first move a collection has the last added first; what is added after that comes last.':
    '間にある作品は一つずつずれます。一度も動かしていないコレクションは、最後に入れた作品が先頭です。動かした後に入れた作品は末尾に付きます。',
  'If you have an open report about the same thing, that report is the answer (200).':
    '同じものについて審査中の報告があれば、その報告を返します（200）。',
  'A name you have held stays yours. Nothing private becomes visible.':
    '一度使った名前は、変えた後も自分のものです。非公開のものが見えるようになることはありません。',
  'PATCH `logo` with null to take it away.': '取り除くには、PATCH で `logo` に null を送ります。',
}
