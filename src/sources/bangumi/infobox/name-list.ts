import { distinctTexts } from '../text.ts'

/**
 * Name in an infobox with the text around it: a role, a real name or years. `note` may be `''`. `fullName` is the name
 * with the brackets after it, if they contain another name: `吉宗鋼紀(吉田博彦)`.
 */
export type ListedName = { name: string; note: string; fullName?: string }

const OPENING = '([{（［｛【〔「『《'
const CLOSING = ')]}）］｝】〕」』》'
const SEPARATORS = '、,，/／;；\n'

const PLACEHOLDERS = new Set('不明 未知 无 無 无し 待定 TBA ? ？ - — 等'.split(' '))

/**
 * Splits a value such as `Key/ビジュアルアーツ(PC)、原画：籐太（第1巻）` into names and their notes. Separators within brackets do not
 * split. The brackets after a name and the role before it become the note. An unclosed bracket extends to the end.
 */
export function splitNames(text: string): ListedName[] {
  return splitOutsideBrackets(text, SEPARATORS)
    .map(separateNote)
    .filter(({ name }) => /[\p{L}\p{N}]/u.test(name) && !PLACEHOLDERS.has(name))
}

/** Splits a string at the separators, except within brackets. Parts are trimmed, and empty parts are dropped. */
export function splitOutsideBrackets(text: string, separators: string): string[] {
  const pieces = ['']
  let depth = 0
  for (const character of text) {
    if (depth === 0 && separators.includes(character)) {
      pieces.push('')
      continue
    }
    if (OPENING.includes(character)) depth += 1
    else if (CLOSING.includes(character)) depth = Math.max(0, depth - 1)
    pieces.push(`${pieces.pop() ?? ''}${character}`)
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '')
}

const ROLE_BEFORE = /^([^：]{1,20})：/
/** Matches a bracket after the first character, because a name may start with a bracket (`[ALEXANDROS]`). */
const NOTE_START = /(?<=.)[([{（［｛【〔「『《]/su

function separateNote(piece: string): ListedName {
  const role = ROLE_BEFORE.exec(piece)?.[1] ?? ''
  const body = piece.replace(ROLE_BEFORE, '').trim()
  const start = NOTE_START.exec(body)?.index ?? body.length
  const brackets = body.slice(start).split(/[()[\]（）［］【】〔〕]/u)
  const name = body.slice(0, start).trim()
  const [, inBracket = ''] = ROUND_BRACKET.exec(body.slice(start)) ?? []
  return {
    name,
    note: distinctTexts([role, ...brackets]).join('、'),
    ...(isName(inBracket) && { fullName: `${name}(${inBracket})` }),
  }
}

const ROUND_BRACKET = /^[(（]([^()（）]+)[)）]$/u
/** Words for work, editions and songs, which occur in most brackets. */
const NO_NAME =
  /[版第篇章话話卷巻曲词詞编編画畫]|主笔|客座|协力|協力|[监監][督修]|原案|担当|友情|[補补辅]助|绘|繪|设定|設定|程序|[名本]义|名義|steam|^[a-z]{1,3}$/iu

/**
 * Returns true if a string looks like a person's name: it consists of letters, and contains none of the words that
 * appear next to names.
 */
const isName = (text: string) => /^[\p{L}\p{M}\s・.ー'-]{2,}$/u.test(text) && !NO_NAME.test(text)
