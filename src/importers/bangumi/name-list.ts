import { distinctTexts } from './text.ts'

/** A name out of an infobox and what stood beside it: a role, a real name, the years. `note` is `''` without. */
export type ListedName = { name: string; note: string }

const OPENING = '([{（［｛【〔「『《'
const CLOSING = ')]}）］｝】〕」』》'
const SEPARATORS = '、,，/／;；\n'

/** What the wiki writes where it knows no name. */
const PLACEHOLDERS = new Set(['不明', '未知', '无', '無', '无し', '待定', 'TBA', '?', '？', '-', '—', '等'])

/**
 * The names of a value such as `Key/ビジュアルアーツ(PC)、原画：籐太（第1巻）`, each with its note.
 * A separator inside brackets divides nothing; brackets after a name and a role before it go into the note.
 * A bracket that is never closed takes the rest of the text with it.
 */
export function splitNames(text: string): ListedName[] {
  return splitOutsideBrackets(text, SEPARATORS)
    .map(separateNote)
    .filter(({ name }) => /[\p{L}\p{N}]/u.test(name) && !PLACEHOLDERS.has(name))
}

/** Divides a text at any of the separators, except inside brackets; pieces trimmed, empty ones left out. */
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
/** A bracket after the first character: a name may itself start with one (`[ALEXANDROS]`). */
const NOTE_BEHIND = /(?<=.)[([{（［｛【〔「『《]/su

function separateNote(piece: string): ListedName {
  const role = ROLE_BEFORE.exec(piece)?.[1] ?? ''
  const body = piece.replace(ROLE_BEFORE, '').trim()
  const start = NOTE_BEHIND.exec(body)?.index ?? body.length
  const brackets = body.slice(start).split(/[()[\]（）［］【】〔〕]/u)
  return { name: body.slice(0, start).trim(), note: distinctTexts([role, ...brackets]).join('、') }
}
