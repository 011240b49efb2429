import type { DetailWords } from './refusal-details.ts'

/** The messages of refused calls of the API, and what the guards know beyond them. */
export const CALL_DETAILS: readonly DetailWords[] = [
  [
    'More than {0} reports in an hour. Wait {1} seconds.',
    '1時間に {0} 件を超えて報告しました。{1} 秒待ってください。',
    '一小时内举报超过 {0} 次。请等待 {1} 秒。',
  ],
  ['The access token has expired.', 'アクセストークンの有効期限が切れています。', '访问令牌已过期。'],
  [
    'The access token was revoked: by the app, by its reader who has disconnected it, or with the account.',
    'アクセストークンは取り消されています。アプリが取り消したか、読者が許可を取り消したか、アカウントがなくなりました。',
    '访问令牌已撤销：由应用撤销，或读者取消了授权，或账号已不存在。',
  ],
  [
    'The app this token was issued to is disabled.',
    'このトークンのアプリは無効になっています。',
    '该令牌所属的应用已停用。',
  ],
  [
    'The secret this token was got with was replaced. Get a new one.',
    'このトークンを得たシークレットは交換されました。新しいトークンを取得してください。',
    '获取该令牌的密钥已被更换。请获取新的令牌。',
  ],
  [
    'The access token is invalid, expired or revoked. Get a new one.',
    'アクセストークンが正しくないか、期限切れか、取り消し済みです。新しいトークンを取得してください。',
    '访问令牌无效、已过期或已撤销。请获取新的令牌。',
  ],
  ['The access token is malformed.', 'アクセストークンの形が正しくありません。', '访问令牌的格式不正确。'],
  [
    'The access token lacks the scope {0}.',
    'アクセストークンにスコープ {0} がありません。',
    '访问令牌缺少作用域 {0}。',
  ],
  [
    'The access token was granted without the scope openid.',
    'アクセストークンにスコープ openid がありません。',
    '访问令牌缺少作用域 openid。',
  ],
  [
    'Send an access token: `Authorization: Bearer <ACCESS_TOKEN>`.',
    'アクセストークンを送ってください：`Authorization: Bearer <ACCESS_TOKEN>`',
    '请发送访问令牌：`Authorization: Bearer <ACCESS_TOKEN>`',
  ],
  [
    'This needs a token of a user, and that is an application token.',
    '読者のトークンが必要ですが、送られたのはアプリ自身のトークンです。',
    '这里需要读者的令牌，而发送的是应用自己的令牌。',
  ],
  [
    'The account this token was issued for is banned.',
    'このトークンのアカウントは利用停止中です。',
    '该令牌所属的账号已被封禁。',
  ],
  [
    'More than {0} requests in a minute. Wait {1} seconds.',
    '1分間に {0} 件を超えました。{1} 秒待ってください。',
    '一分钟内超过了 {0} 个请求。请等待 {1} 秒。',
  ],
  [
    '{0} fields are not valid: {1} and {2} more.',
    '{0} 個の項目が正しくありません：{1}、ほか {2} 個',
    '有 {0} 个字段无效：{1}，以及另外 {2} 个',
  ],
  ['{0} fields are not valid: {1}.', '{0} 個の項目が正しくありません：{1}', '有 {0} 个字段无效：{1}'],
  ['The request is not valid.', 'リクエストが正しくありません。', '请求无效。'],
  ['The request is not valid HTTP.', 'リクエストが HTTP として正しくありません。', '请求不是有效的 HTTP。'],
  [
    'The request took too long to arrive.',
    'リクエストが届くのに時間がかかりすぎました。',
    '请求到达所用的时间过长。',
  ],
  [
    'The address and headers are larger than 16 KiB together.',
    'アドレスとヘッダーが合わせて 16 KiB を超えています。',
    '地址和标头合计超过 16 KiB。',
  ],
  ['The request has no Host header.', 'Host ヘッダーがありません。', '请求没有 Host 标头。'],
  ['The request has more than one {0} header.', '{0} ヘッダーが二つ以上あります。', '请求有多个 {0} 标头。'],
  [
    'The only expectation that is met is 100-continue.',
    'Expect は 100-continue だけに対応しています。',
    'Expect 只支持 100-continue。',
  ],
  [
    'The address is not correctly percent-encoded.',
    'アドレスのパーセント符号化が正しくありません。',
    '地址的百分号编码不正确。',
  ],
  [
    'Request body size did not match Content-Length',
    '本文の長さが Content-Length と違います。',
    '请求正文的长度与 Content-Length 不符。',
  ],
  ['The body is not UTF-8.', '本文が UTF-8 ではありません。', '请求正文不是 UTF-8。'],
  ['The body is not valid JSON.', '本文が JSON として正しくありません。', '请求正文不是有效的 JSON。'],
  [
    'The body is empty: send a JSON object.',
    '本文がありません。JSON のオブジェクトを送ってください。',
    '请求正文为空：请发送 JSON 对象。',
  ],
  ['The body is larger than {0} KiB.', '本文が {0} KiB を超えています。', '请求正文超过 {0} KiB。'],
  [
    'Send the body as application/json.',
    '本文は application/json で送ってください。',
    '请以 application/json 发送正文。',
  ],
  [
    '{0} is not possible here; {1} are.',
    'ここで {0} は使えません。使えるのは {1} です。',
    '此处不能使用 {0}，可用的是 {1}。',
  ],
  ['The form is too large.', 'フォームが大きすぎます。', '表单过大。'],
  ['The form cannot be read.', 'フォームを読み取れません。', '无法读取表单。'],
  ['The form has too many fields.', 'フォームの項目が多すぎます。', '表单的字段过多。'],
  [
    'Send the file as one of {0}.',
    'ファイルは次のどれかで送ってください：{0}',
    '请以下列类型之一发送文件：{0}',
  ],
  ['The file is larger than {0} MiB.', 'ファイルが {0} MiB を超えています。', '文件超过 {0} MiB。'],
  [
    'The file is larger than {0} MiB when it is unpacked.',
    '展開したファイルが {0} MiB を超えています。',
    '解压后的文件超过 {0} MiB。',
  ],
  [
    'An import of yours is still under way. Wait for its answer.',
    'この読者の取り込みがまだ続いています。その応答を待ってください。',
    '该读者的导入仍在进行。请等待其回答。',
  ],
  [
    'The catalog changed while the file was imported, and nothing was stored. Send it again.',
    '取り込み中にカタログが変わったため、何も保存されていません。もう一度送ってください。',
    '导入期间目录有变动，没有保存任何内容。请重新发送。',
  ],
  [
    'This review is your own. Readers vote on those of others.',
    '読者自身のレビューです。投票できるのは他の人のものだけです。',
    '这是读者自己的评论。只能给他人的评论投票。',
  ],
  [
    'Every reader keeps the default collection. It can be renamed or made private.',
    '既定のコレクションは削除できません。名前を変えるか、非公開にできます。',
    '默认收藏夹不能删除，但可以改名或设为私密。',
  ],
  [
    'The secret has been replaced in the meantime. Nothing was changed.',
    'その間にシークレットが置き換えられました。何も変更していません。',
    '密钥在此期间已被更换，未作任何更改。',
  ],
  [
    'A public app has no secret. Make it confidential first: {"client_type": "confidential"}.',
    '公開アプリにはシークレットがありません。先に {"client_type": "confidential"} にしてください。',
    '公开应用没有密钥。请先改为 {"client_type": "confidential"}。',
  ],
  [
    'You have {0} apps already. Delete one first.',
    'アプリがすでに {0} 個あります。先に一つ削除してください。',
    '已有 {0} 个应用。请先删除一个。',
  ],
  [
    'This is your own. Change or delete it instead.',
    '読者自身のものです。変更するか、削除してください。',
    '这是读者自己的。请更改或删除它。',
  ],
  [
    'You have objected to it already, or it is shown again.',
    'すでに異議を申し立てたか、再び表示されています。',
    '已提出过异议，或它已重新显示。',
  ],
]
