import { html } from '../../pages/html.ts'
import type { PictureKind } from './picture-kinds.ts'

/** Ground and letters; a picture of its own does not know whether the page is dark. */
const TINTS: Record<'galgame' | 'light' | 'manga' | 'character' | 'other', [ground: string, ink: string]> = {
  galgame: ['#f3e1e6', '#74283f'],
  light: ['#dfe7f3', '#27477c'],
  manga: ['#e2ecdf', '#2c5430'],
  character: ['#efe6f2', '#5a3672'],
  other: ['#ece7dd', '#4b463d'],
}

/** Portraits have their name in the middle, and no spine. */
const IN_THE_MIDDLE = new Set<string>(['character', 'person', 'producer'])

/** What one line holds, a Han character or kana counting twice. */
const LINE = 14
const MAX_LINES = 6

/** The placeholder as a picture, for an address that a page has asked for already: a browser never shows a broken one. */
export function fallbackPicture(kind: PictureKind, title: string): string {
  const [ground, ink] = Object.entries(TINTS).find(([start]) => kind.startsWith(start))?.[1] ?? TINTS.other
  const wrapped = wrap(title)
  if (IN_THE_MIDDLE.has(kind)) {
    const lines = wrapped.map(
      (line, index) =>
        html`<tspan x="120" y="${190 + (index - (wrapped.length - 1) / 2) * 40}">${line}</tspan>`,
    )
    return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 360" width="240" height="360"><rect width="240" height="360" fill="${ground}"/><text font-family="system-ui, sans-serif" font-size="30" font-weight="650" text-anchor="middle" fill="${ink}">${lines}</text></svg>`.toString()
  }
  const lines = wrapped.map((line, index) => html`<tspan x="30" y="${70 + index * 34}">${line}</tspan>`)
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 360" width="240" height="360"><rect width="240" height="360" fill="${ground}"/><rect width="14" height="360" fill="${ink}" fill-opacity="0.18"/><text font-family="system-ui, sans-serif" font-size="25" font-weight="650" fill="${ink}">${lines}</text></svg>`.toString()
}

function wrap(title: string): string[] {
  const lines: string[] = []
  let line = ''
  let room = LINE
  for (const letter of title) {
    const width = letter > '\u2e7f' ? 2 : 1
    if (width > room) {
      lines.push(line)
      line = ''
      room = LINE
    }
    if (lines.length === MAX_LINES) return [...lines.slice(0, -1), `${lines.at(-1)?.slice(0, -1)}…`]
    line += letter
    room -= width
  }
  return [...lines, line]
}
