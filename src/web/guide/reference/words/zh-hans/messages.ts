/** What refusals say to developers. They are sent in English. */
export const messagesZhHans: Record<string, string> = {
  'The address is not correctly percent-encoded.': '地址的百分号编码不正确。',
  'The body is not valid JSON.': '请求体不是有效的 JSON。',
  'Request body size did not match Content-Length': '请求体的大小与 Content-Length 不一致。',
  'The access token is invalid, expired or revoked. Get a new one.':
    '访问令牌无效、已过期或已撤销。请获取新的令牌。',
  'Send an access token: `Authorization: Bearer <ACCESS_TOKEN>`.':
    '请发送访问令牌：`Authorization: Bearer <ACCESS_TOKEN>`。',
  'This needs a token of a user, and that is an application token.':
    '这里需要读者的令牌，而发送的是应用令牌。',
  'The access token lacks the scope catalog:read.': '访问令牌缺少权限 catalog:read。',
  'The account this token was issued for is banned.': '该令牌所属的账号已被封禁。',
  'There is no such resource.': '所指的内容不存在。',
  'You have not voted on this review.': '你没有对这篇评论投过票。',
  'There is no such review.': '没有这篇评论。',
  'You have no record of this work.': '你没有这部作品的记录。',
  'You have no such collection.': '你没有这个收藏夹。',
  'This work is not in the collection.': '这部作品不在收藏夹中。',
  'Nothing of that kind was deleted lately. What is deleted can be brought back for ten minutes.':
    '最近没有删除过这样的内容。删除后十分钟内可以恢复。',
  'There is no such review, picture or profile.': '没有这样的评论、图片或主页。',
  'Nothing of yours was hidden under this id.': '这个 ID 下没有你被隐藏的内容。',
  'You have no such app.': '你没有这个应用。',
  'This entry was merged into 42.': '该条目已合并到 42。',
  'TRACE is not possible here; GET, HEAD, OPTIONS are.': '这里不能使用 TRACE，可以使用 GET、HEAD、OPTIONS。',
  'This review is your own. Readers vote on those of others.': '这是你自己的评论。只能对他人的评论投票。',
  'An import of yours is still under way. Wait for its answer.': '你的一次导入仍在进行，请等待它的响应。',
  'The catalog changed while the file was imported, and nothing was stored. Send it again.':
    '导入文件时目录发生了变化，什么也没有保存。请重新发送。',
  'Every reader keeps the default collection. It can be renamed or made private.':
    '默认收藏夹不能删除，可以改名或设为私密。',
  'This is your own. Change or delete it instead.': '这是你自己的内容。请直接更改或删除。',
  'You have objected to it already, or it is shown again.': '你已经提出过申诉，或者它已恢复显示。',
  'A public app has no secret. Make it confidential first: {"client_type": "confidential"}.':
    '公开客户端没有密钥。请先将其设为 {"client_type": "confidential"}。',
  'The body is larger than 64 KiB.': '请求体超过 64 KiB。',
  'The file is larger than 10 MiB.': '文件超过 10 MiB。',
  'The file is larger than 32 MiB when it is unpacked.': '文件解压后超过 32 MiB。',
  'Send the body as application/json.': '请以 application/json 发送请求体。',
  'Send the file as one of application/json, application/xml, text/xml, application/gzip, application/x-gzip.':
    '请以 application/json、application/xml、text/xml、application/gzip、application/x-gzip 之一发送文件。',
  'page is not valid.': 'page 的值不正确。',
  'You have 20 apps already. Delete one first.': '你已有 20 个应用，请先删除一个。',
  'More than 60 requests in a minute. Wait 42 seconds.': '一分钟内超过 60 次请求，请等待 42 秒。',
  'The address and headers are larger than 16 KiB together.': '地址与请求头合计超过 16 KiB。',
  'Something went wrong on our side. It has been logged under the request id.':
    '服务出了问题，已按请求的 ID 记入日志。',
  'The service is briefly unavailable. Try again in a moment.': '服务暂时不可用，请稍后再试。',
}
