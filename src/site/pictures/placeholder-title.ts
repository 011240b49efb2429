import type { PictureKind } from './picture-kinds.ts'

/** Kinds whose name is always shown next to the picture. */
const KINDS_WITH_INITIAL = new Set<PictureKind>(['person', 'producer', 'character'])

/**
 * Returns the initial that a placeholder shows instead of a portrait or logo; undefined for kinds
 * that show the whole title.
 */
export const initialOf = (kind: PictureKind, title: string): string | undefined =>
  KINDS_WITH_INITIAL.has(kind) ? ([...title.trim()][0]?.toUpperCase() ?? '?') : undefined

/**
 * Font sizes of a title on a placeholder, in hundredths of the cover's width. `tokens.css` has the same sizes.
 */
export const TITLE_SIZES = [20, 16, 13, 10.5, 9, 7.5] as const

/** Width of a line and height of all lines, in hundredths of the cover's width. */
const LINE_WIDTH = 80
const MAX_HEIGHT = 92
export const LINE_HEIGHT = 1.2

/** Characters after which a line may break: white space, and Han characters and kana. */
const BREAKABLE = /\s|[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u

/** Returns the width of a character in a bold font, in ems. Errs on the wide side. */
function widthOf(letter: string): number {
  if (letter > '\u2e7f' || (letter >= '\u1100' && letter < '\u1200')) return 1
  if (/[\p{Lu}\d@%&]/u.test(letter)) return 0.71
  if (/[\s.,:;'|!ijl]/.test(letter)) return 0.35
  return /\p{Ll}/u.test(letter) ? 0.6 : 0.85
}

/**
 * Fits a title into a placeholder: the largest size at which no word is wider than a line and all lines are visible.
 *
 * @returns `step`, the index of the size, and the lines at that size
 */
export function fitTitle(title: string): { step: number; lines: string[] } {
  const parts = partsOf(title)
  for (const [step, size] of TITLE_SIZES.entries()) {
    const lines = linesOf(parts, LINE_WIDTH / size)
    const isLast = step === TITLE_SIZES.length - 1
    if (
      isLast ||
      (lines.every(({ fits }) => fits) && lines.length * size * LINE_HEIGHT <= MAX_HEIGHT)
    )
      return { step, lines: lines.map(({ text }) => text.trim()) }
  }
  return { step: 0, lines: [] }
}

/** Splits a title where a line may break. */
function partsOf(title: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const letter of title.trim()) {
    part += letter
    if (!BREAKABLE.test(letter)) continue
    parts.push(part)
    part = ''
  }
  return part === '' ? parts : [...parts, part]
}

function linesOf(parts: string[], room: number) {
  const lines: { text: string; width: number; fits: boolean }[] = []
  for (const part of parts) {
    const width = [...part.trimEnd()].reduce((sum, letter) => sum + widthOf(letter), 0)
    const full = [...part].reduce((sum, letter) => sum + widthOf(letter), 0)
    const line = lines.at(-1)
    if (line && line.width + width <= room) {
      line.text += part
      line.width += full
    } else lines.push({ text: part, width: full, fits: width <= room })
  }
  return lines
}
