import { answersZhHans } from './zh-hans/answers.ts'
import { appFieldsZhHans } from './zh-hans/app-fields.ts'
import { catalogFieldsZhHans } from './zh-hans/catalog-fields.ts'
import { descriptionsZhHans } from './zh-hans/descriptions.ts'
import { messagesZhHans } from './zh-hans/messages.ts'
import { operationsZhHans } from './zh-hans/operations.ts'
import { parametersZhHans } from './zh-hans/parameters.ts'
import { readerFieldsZhHans } from './zh-hans/reader-fields.ts'
import type { ReferenceWords } from './reference-words.ts'

export const referenceZhHans: ReferenceWords = {
  tags: {
    Galgames: { name: '美少女游戏', text: '视觉小说及同类游戏，制作者与登场角色。' },
    'Light novels': { name: '轻小说', text: '轻小说及其各卷，创作者与登场角色。' },
    Mangas: { name: '漫画', text: '漫画及其各卷，创作者与登场角色。' },
    People: { name: '人物', text: '作家、画师、声优以及其他参与创作的人。' },
    Producers: { name: '厂商与出版社', text: '公司、社团、出版社、杂志与文库。' },
    Characters: { name: '角色', text: '作品中的角色。' },
    Search: { name: '搜索', text: '按名称，或按其他网站的 ID 查找条目。' },
    Tags: { name: '标签', text: '按名称查找标签，以及带有该标签的作品。' },
    Attribution: { name: '来源', text: '数据来自哪里，采用何种许可证。' },
    Changes: { name: '变更', text: '供镜像使用的目录变更订阅。' },
    Ratings: { name: '评分', text: '读者自己的作品记录：评分、评论、状态、历史，以及文件导入导出。' },
    Reviews: { name: '评论', text: '读者写的评论、评分统计以及对评论的投票。' },
    Reports: { name: '举报', text: '向版主举报的内容、自己被隐藏的内容，以及提出申诉。' },
    Collections: { name: '收藏夹', text: '读者制作的作品列表，除非设为私密，否则公开。' },
    'Public profiles': { name: '公开主页', text: '读者自愿公开的内容。' },
    Profile: { name: '个人资料', text: '令牌所属的读者。' },
    'Developer apps': { name: '开发者应用', text: '已注册的应用。' },
    Operations: { name: '运行状况', text: '服务是否正常。' },
  },
  operations: operationsZhHans,
  texts: [
    descriptionsZhHans,
    parametersZhHans,
    answersZhHans,
    messagesZhHans,
    catalogFieldsZhHans,
    readerFieldsZhHans,
    appFieldsZhHans,
  ],
}
