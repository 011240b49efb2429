/** What refusals say to developers. They are sent in English. */
export const messagesJa: Record<string, string> = {
  'The address is not correctly percent-encoded.': 'アドレスのパーセントエンコーディングが正しくありません。',
  'The body is not valid JSON.': '本文が正しい JSON ではありません。',
  'Request body size did not match Content-Length': '本文の大きさが Content-Length と一致しません。',
  'The access token is invalid, expired or revoked. Get a new one.':
    'アクセストークンが無効か、期限切れか、取り消されています。新しいトークンを取ってください。',
  'Send an access token: `Authorization: Bearer <ACCESS_TOKEN>`.':
    'アクセストークンを送ってください：`Authorization: Bearer <ACCESS_TOKEN>`。',
  'This needs a token of a user, and that is an application token.':
    '読者のトークンが必要ですが、送られたのはアプリのトークンです。',
  'The access token lacks the scope catalog:read.': 'アクセストークンにスコープ catalog:read がありません。',
  'The account this token was issued for is banned.':
    'このトークンが発行されたアカウントは利用を停止されています。',
  'There is no such resource.': '指定されたものは存在しません。',
  'You have not voted on this review.': 'このレビューにはまだ投票していません。',
  'There is no such review.': 'そのレビューは存在しません。',
  'You have no record of this work.': 'この作品の記録はありません。',
  'You have no such collection.': 'そのコレクションはありません。',
  'This work is not in the collection.': 'この作品はコレクションに入っていません。',
  'Nothing of that kind was deleted lately. What is deleted can be brought back for ten minutes.':
    '最近削除されたものの中に該当するものはありません。元に戻せるのは削除から十分以内です。',
  'There is no such review, picture or profile.': 'そのレビュー、画像、プロフィールは存在しません。',
  'Nothing of yours was hidden under this id.': 'この ID で非表示にされた自分の投稿はありません。',
  'You have no such app.': 'そのアプリはありません。',
  'This entry was merged into 42.': 'この項目は 42 に統合されました。',
  'TRACE is not possible here; GET, HEAD, OPTIONS are.':
    'ここでは TRACE は使えません。使えるのは GET、HEAD、OPTIONS です。',
  'This review is your own. Readers vote on those of others.':
    '自分のレビューです。投票できるのはほかの人のレビューだけです。',
  'An import of yours is still under way. Wait for its answer.':
    '自分の取り込みがまだ続いています。その応答を待ってください。',
  'The catalog changed while the file was imported, and nothing was stored. Send it again.':
    '取り込みの途中でカタログが変わったため、何も保存されませんでした。もう一度送ってください。',
  'Every reader keeps the default collection. It can be renamed or made private.':
    '既定のコレクションは削除できません。名前を変えることと、非公開にすることはできます。',
  'This is your own. Change or delete it instead.':
    '自分のものです。報告せずに、変更するか削除してください。',
  'You have objected to it already, or it is shown again.':
    'すでに異議を申し立てたか、表示が元に戻っています。',
  'A public app has no secret. Make it confidential first: {"client_type": "confidential"}.':
    '公開クライアントにシークレットはありません。先に {"client_type": "confidential"} にしてください。',
  'The body is larger than 64 KiB.': '本文が 64 KiB を超えています。',
  'The file is larger than 10 MiB.': 'ファイルが 10 MiB を超えています。',
  'The file is larger than 32 MiB when it is unpacked.': '展開したファイルが 32 MiB を超えています。',
  'Send the body as application/json.': '本文は application/json で送ってください。',
  'Send the file as one of application/json, application/xml, text/xml, application/gzip, application/x-gzip.':
    'ファイルは application/json、application/xml、text/xml、application/gzip、application/x-gzip のどれかで送ってください。',
  'page is not valid.': 'page の値が正しくありません。',
  'You have 20 apps already. Delete one first.': 'アプリはすでに 20 個あります。先に一つ削除してください。',
  'More than 60 requests in a minute. Wait 42 seconds.':
    '一分間のリクエストが 60 回を超えました。42 秒待ってください。',
  'The address and headers are larger than 16 KiB together.':
    'アドレスとヘッダーが合わせて 16 KiB を超えています。',
  'Something went wrong on our side. It has been logged under the request id.':
    'サービス側で問題が起きました。リクエストの ID とともにログに記録されています。',
  'The service is briefly unavailable. Try again in a moment.':
    'サービスは一時的に利用できません。少し待ってからもう一度試してください。',
}
