/** Fields of developer apps and of refusals. */
export const appFieldsJa: Record<string, string> = {
  'Of UTC': 'UTC での日付',
  'The class of the status; 304 counts as `2xx`': 'ステータスの区分。304 は `2xx` に数える',
  'Newest first; what was not called is left out': '新しい順。呼び出しのなかったものは含まない',
  'Readers who have allowed the app': 'アプリを許可した読者の数',
  'The last 90 days, newest first; days without use are left out':
    '過去 90 日間を新しい順に。利用のなかった日は含まない',
  'What the app may request, space-separated; null when that is nothing':
    'アプリが求めることのできるスコープ（空白区切り）。一つもなければ null',
  'Address of its picture': 'ロゴのアドレス',
  'What it does with data; missing while it is not set':
    'データの扱いを説明するページ。設定されていない間は現れない',
  'What it does not work without; missing while readers may leave out everything but `openid`':
    'アプリの動作に欠かせないスコープ。読者が `openid` 以外をすべて外せる間は現れない',
  'Its terms of use; missing while it is not set': '利用規約のページ。設定されていない間は現れない',
  'Until when the secret that was replaced still works; missing when there is none':
    '前のシークレットの期限。前のシークレットがなければ現れない',
  'Shown this once; null when none was made, as for a public app':
    '示されるのはこの一度だけ。公開クライアントのように、作られなかったときは null',
  'For developers: what is wrong and what to do; of fields only which, and `field_errors` has the rest':
    '開発者に向けて、何が誤りでどうすればよいかを述べる文。項目の誤りについては項目名だけを挙げ、詳しくは `field_errors` に示す',
  'As the answer had it, in `X-Request-Id`': '応答の `X-Request-Id` にあった値',
  'What the app was told': 'アプリに返したコード',
  'The rule that refused it; often more than the app was told':
    '拒否の根拠となった規則。アプリに伝えたことより詳しいことが多い',
  'What the refusal rests on; of secrets, tokens, codes and texts only the length':
    '拒否の判断に関わった値。シークレット、トークン、コード、文章は長さだけを示す',
  'The network it came from': 'リクエストの送信元ネットワーク',
  '1 to 64 characters after trimming, one of them visible; no control characters, and none that turn the direction of writing':
    '前後の空白を除いて 1 から 64 文字。目に見える文字を一つ以上含む。制御文字と、文字の向きを変える文字は使えない',
  'What the app may request; scopes that users grant need a redirect URI':
    'アプリが求めることのできるスコープ。読者が許可するスコープにはリダイレクト URI が要る',
  'Scopes the app does not work without, of those it may request and `profile`, `email`, `offline_access`: readers who allow it cannot leave them out. The others they may untick; `openid` always stays':
    'アプリの動作に欠かせないスコープ。アプリが求めることのできるものと `profile`、`email`、`offline_access` から選ぶ。アプリを許可する読者は、これらを外せない。ほかのスコープは外せる。`openid` は常に残る',
  'https, without fragment': 'https のアドレス。フラグメントは使えない',
  'What the app does with data, for readers who are asked for consent: https, or http of this machine':
    '許可を求められた読者に向けて、データの扱いを説明するページ。https、またはこのデバイスの http',
  'The terms of use of the app, likewise': 'アプリの利用規約のページ。条件は同じ',
  'At most 5: https, http of this machine, or a private-use scheme; compared to the letter (§5.2)':
    '5 個まで。https、このデバイスの http、または独自のスキーム。一字一句まで照合する（§5.2）',
  'Is sent a logout token when a user signs out (OpenID Connect Back-Channel Logout 1.0)':
    '読者がログアウトしたときにログアウトトークンを受け取るアドレス（OpenID Connect Back-Channel Logout 1.0）',
  'Whether ID tokens and logout tokens name the session (`sid`)':
    'ID トークンとログアウトトークンにセッション（`sid`）を含めるか',
  'Scopes that users grant: they went with the last redirect URI':
    '読者が許可するスコープのうち、最後のリダイレクト URI とともになくなったもの',
  'Whether access tokens that were got with older secrets are refused within a second; by default they are, unless the old secret stays good':
    '以前のシークレットで取ったアクセストークンを一秒以内に無効にするか。省略時は、古いシークレットを残さない限り無効にする',
  'Seconds that the old secret stays good beside the new one, up to 30 days':
    '古いシークレットを新しいものと併用できる秒数。30 日まで',
}
