import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { LANGUAGES, type Language } from '../src/i18n/languages.ts'

/** What people read in a language, on pages, in the guide and the reference, and in mails. */
const placesOf = (language: Language): string[] => [
  `src/i18n/locales/${language}/**/*.{json,md}`,
  ...(language === 'en' ? ['openapi.json', 'bin/**/!(*.test).ts'] : []),
]

type Pair = [concept: string, word: RegExp, others: RegExp]

/** Of each thing the one word it has, and those that other people would have for it. */
const WORDS: Partial<Record<Language, Pair[]>> = {
  en: [['email', /\bemail\b/i, /e-mail/i]],
  ja: [
    ['review', /レビュー/, /感想|書評/],
    ['report', /報告/, /通報/],
    ['score', /評価/, /点数|スコア/],
    ['helpful', /参考にな/, /賛成|いいね/],
    ['browser', /ブラウザー/, /ブラウザ(?!ー)/],
    ['folder', /フォルダー/, /フォルダ(?!ー)/],
    ['memory', /メモリー/, /メモリ(?!ー)/],
    ['device', /デバイス/, /端末|機器/],
    ['status', /状態/, /進み具合|読書状況|プレイ状況/],
    ['status of HTTP', /ステータスコード/, /状態コード/],
    ['character', /キャラクター/, /登場人物/],
    ['producer', /メーカー・出版社/, /ブランド・|制作・/],
    ['redirect URI', /リダイレクト URI/, /リダイレクト先/],
    ['consent', /許可/, /同意画面|同意を求め/],
    ['picture of an account', /プロフィール画像/, /アイコン画像|アバター/],
    ['title', /作品名/, /タイトル|題名/],
    ['user', /ユーザー/, /利用者|(?<!対象)読者/],
    ['export', /エクスポート/, /持ち出|書き出/],
    ['import', /インポート/, /取り込/],
    ['source', /データ元/, /情報源|データソース/],
    ['change feed', /変更フィード/, /更新履歴/],
    ['second factor', /二段階認証/, /2段階認証/],
    ['manga', /漫画/, /マンガ/],
    ['sign in', /ログイン/, /サインイン/],
  ],
  'zh-Hans': [
    ['review', /评论/, /短评|感想|书评/],
    ['report', /举报/, /检举|投诉/],
    ['score', /评分/, /(?<!评)分数|打分/],
    ['helpful', /有用/, /赞成|点赞/],
    ['status', /状态/, /进度/],
    ['dropped', /抛弃/, /弃坑/],
    ['producer', /厂商与出版社/, /制作方|制作与发行/],
    ['collection', /收藏夹/, /公开收藏(?!夹)/],
    ['account', /账号/, /账户|帐号|帐户/],
    ['recovery code', /恢复码/, /恢复代码/],
    ['title', /标题/, /作品名(?!单)|题名|书名/],
    ['licence', /许可证/, /许可(?!证)/],
    ['moderator', /版主/, /审核员/],
    ['redirect URI', /重定向 URI/, /回调地址|重定向地址/],
    ['appeal', /申诉/, /异议/],
    ['user', /用户/, /读者|使用者/],
    ['device', /设备/, /装置|机器(?!人)/],
    ['change feed', /变更订阅/, /更新记录|订阅源/],
    ['sign in', /登录/, /登陆|登入/],
    ['address', /地址/, /网址/],
    ['you', /你/, /您/],
  ],
  'zh-Hant': [
    ['account', /帳號/, /賬號|帳戶|账号/],
    ['sign in', /登入/, /登錄|登陸/],
    ['app', /應用程式/, /應用(?!程式)/],
    ['software', /程式/, /軟件/],
    ['token', /權杖/, /令牌/],
    ['report', /檢舉/, /舉報|投訴/],
    ['list', /清單/, /列表/],
    ['session', /工作階段/, /會話/],
    ['file', /檔案/, /文檔/],
    ['server', /伺服器/, /服務器/],
    ['network', /網路/, /網絡/],
    ['client', /用戶端/, /客戶端/],
    ['current', /目前/, /當前/],
    ['licence', /授權條款/, /許可證/],
    ['header', /標頭/, /回應頭|請求頭/],
    ['body', /請求本文/, /請求體|請求正文/],
    ['collection', /收藏集/, /收藏夾/],
    ['repository', /儲存庫/, /倉庫/],
    ['reader', /讀者/, /用戶(?!端)|使用者(?!名稱)/],
    ['you', /你/, /您/],
  ],
  ko: [
    ['review', /리뷰/, /감상평|서평/],
    ['score', /평점/, /점수(?!")|별점/],
    ['report', /신고/, /제보/],
    ['sign in', /로그인/, /사인인/],
    ['secret', /시크릿/, /비밀 키|비밀키/],
    ['consent', /허용/, /승낙/],
    ['user', /사용자/, /독자|이용자/],
    ['device', /기기/, /장치|디바이스/],
    ['undo', /실행 취소/, /되돌리기 취소/],
    ['dropped', /중단/, /하차/],
    ['plan', /관심/, /찜/],
    ['browser', /브라우저/, /브라우져/],
    ['refresh token', /갱신 토큰/, /리프레시 토큰/],
    ['redirect URI', /리디렉션 URI/, /리다이렉/],
    ['scope', /권한 범위/, /스코프/],
  ],
}

describe('each thing has one word in a language', () => {
  for (const language of LANGUAGES)
    it(language, async () => {
      const lines: { place: string; text: string }[] = []
      for await (const file of glob(placesOf(language)))
        for (const [index, text] of (await readFile(file, 'utf8')).split('\n').entries())
          lines.push({ place: `${file}:${index + 1}`, text })
      for (const [concept, word, others] of WORDS[language] ?? []) {
        assert.ok(
          lines.some(({ text }) => word.test(text)),
          `nothing says ${word.source} of a ${concept}`,
        )
        const otherwise = lines.filter(({ text }) => others.test(text))
        assert.deepEqual(otherwise, [], `${concept} is ${word.source}`)
      }
    })
})
