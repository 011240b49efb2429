import { answersJa } from './ja/answers.ts'
import { appFieldsJa } from './ja/app-fields.ts'
import { catalogFieldsJa } from './ja/catalog-fields.ts'
import { descriptionsJa } from './ja/descriptions.ts'
import { messagesJa } from './ja/messages.ts'
import { operationsJa } from './ja/operations.ts'
import { parametersJa } from './ja/parameters.ts'
import { readerFieldsJa } from './ja/reader-fields.ts'
import type { ReferenceWords } from './reference-words.ts'

export const referenceJa: ReferenceWords = {
  tags: {
    Galgames: { name: 'ギャルゲーム', text: 'ビジュアルノベルとその仲間、作った人、キャラクター。' },
    'Light novels': { name: 'ライトノベル', text: 'ライトノベルとその巻、作った人、キャラクター。' },
    Mangas: { name: '漫画', text: '漫画とその巻、作った人、キャラクター。' },
    People: { name: '人物', text: '作家、絵師、声優など、作品に関わる人。' },
    Producers: { name: 'ブランド・出版社', text: '会社、サークル、出版社、雑誌、レーベル。' },
    Characters: { name: 'キャラクター', text: '作品に登場する人物。' },
    Search: { name: '検索', text: '名前から、またはほかのサイトの ID から項目を探します。' },
    Tags: { name: 'タグ', text: '名前で探すタグと、そのタグの付いた作品。' },
    Attribution: { name: '出典', text: 'データの出どころと、そのライセンス。' },
    Changes: { name: '変更', text: 'カタログの写しを保つための変更フィード。' },
    Ratings: {
      name: '評価',
      text: '読者自身の記録：評価、レビュー、状態、履歴、ファイルとしての出し入れ。',
    },
    Reviews: { name: 'レビュー', text: '読者が書いたレビュー、評価の統計、レビューへの投票。' },
    Reports: {
      name: '報告',
      text: 'モデレーターへの報告、非表示になった自分の投稿、それに対する異議の申し立て。',
    },
    Collections: {
      name: 'コレクション',
      text: '読者が作る作品のリスト。非公開でなければ誰でも見られます。',
    },
    'Public profiles': { name: '公開プロフィール', text: '読者が選んで公開しているもの。' },
    Profile: { name: 'プロフィール', text: 'トークンの持ち主である読者。' },
    'Developer apps': { name: '開発者のアプリ', text: '登録したアプリ。' },
    Operations: { name: '稼働状況', text: 'サービスが動いているかどうか。' },
  },
  operations: operationsJa,
  texts: [descriptionsJa, parametersJa, answersJa, messagesJa, catalogFieldsJa, readerFieldsJa, appFieldsJa],
}
