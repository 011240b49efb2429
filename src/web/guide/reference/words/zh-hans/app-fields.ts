/** Fields of developer apps and of refusals. */
export const appFieldsZhHans: Record<string, string> = {
  'Of UTC': 'UTC 日期',
  'The class of the status; 304 counts as `2xx`': '状态码的类别；304 计为 `2xx`',
  'Newest first; what was not called is left out': '新的在前；没有调用过的不列出',
  'Readers who have allowed the app': '授权该应用的读者数',
  'The last 90 days, newest first; days without use are left out':
    '最近 90 天，新的在前；没有使用的日子不列出',
  'What the app may request, space-separated; null when that is nothing':
    '应用可以请求的权限，以空格分隔；没有时为 null',
  'Address of its picture': '标志的地址',
  'What it does with data; missing while it is not set': '说明如何处理数据的页面；未设置时没有此字段',
  'What it does not work without; missing while readers may leave out everything but `openid`':
    '应用不可缺少的权限；读者可以去掉 `openid` 以外的全部权限时，没有此字段',
  'Its terms of use; missing while it is not set': '使用条款的页面；未设置时没有此字段',
  'Until when the secret that was replaced still works; missing when there is none':
    '被更换的密钥的有效期限；没有这样的密钥时没有此字段',
  'Shown this once; null when none was made, as for a public app':
    '仅此一次显示；没有生成密钥时（例如公开客户端）为 null',
  'For developers: what is wrong and what to do; of fields only which, and `field_errors` has the rest':
    '供开发者阅读：哪里有误、该怎么做；字段有误时只列出字段名，其余见 `field_errors`',
  'As the answer had it, in `X-Request-Id`': '与响应的 `X-Request-Id` 相同',
  'What the app was told': '返回给应用的代码',
  'The rule that refused it; often more than the app was told': '据以拒绝的规则；往往比告知应用的更详细',
  'What the refusal rests on; of secrets, tokens, codes and texts only the length':
    '拒绝所依据的内容；密钥、令牌、授权码和文字只给出长度',
  'The network it came from': '请求来自的网络',
  '1 to 64 characters after trimming, one of them visible; no control characters, and none that turn the direction of writing':
    '去掉首尾空白后 1 到 64 个字符，至少一个可见；不得含有控制字符或改变书写方向的字符',
  'What the app may request; scopes that users grant need a redirect URI':
    '应用可以请求的权限；由读者授予的权限需要重定向 URI',
  'Scopes the app does not work without, of those it may request and `profile`, `email`, `offline_access`: readers who allow it cannot leave them out. The others they may untick; `openid` always stays':
    '应用不可缺少的权限，从它可以请求的权限以及 `profile`、`email`、`offline_access` 中选择：授权应用的读者不能去掉它们。其他权限可以取消勾选；`openid` 始终保留',
  'https, without fragment': 'https 地址，不带片段',
  'What the app does with data, for readers who are asked for consent: https, or http of this machine':
    '向被请求授权的读者说明应用如何处理数据的页面：https，或本机的 http',
  'The terms of use of the app, likewise': '应用的使用条款页面，要求同上',
  'At most 5: https, http of this machine, or a private-use scheme; compared to the letter (§5.2)':
    '最多 5 个：https、本机的 http，或自定义协议；逐字比较（§5.2）',
  'Is sent a logout token when a user signs out (OpenID Connect Back-Channel Logout 1.0)':
    '读者退出登录时接收登出令牌的地址（OpenID Connect Back-Channel Logout 1.0）',
  'Whether ID tokens and logout tokens name the session (`sid`)': 'ID 令牌和登出令牌是否包含会话（`sid`）',
  'Scopes that users grant: they went with the last redirect URI':
    '由读者授予的权限中，随最后一个重定向 URI 一同失去的',
  'Whether access tokens that were got with older secrets are refused within a second; by default they are, unless the old secret stays good':
    '是否在一秒内使以旧密钥取得的访问令牌失效；默认失效，除非旧密钥继续有效',
  'Seconds that the old secret stays good beside the new one, up to 30 days':
    '旧密钥与新密钥并用的秒数，最长 30 天',
}
