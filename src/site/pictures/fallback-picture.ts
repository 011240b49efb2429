import { Html, html } from '../../ui/html.ts'
import { initialOf } from './initial.ts'
import type { PictureKind } from './picture-kinds.ts'

type Tint = [background: string, ink: string]

/** Same colors as in tokens.css, for the light and the dark theme. */
const TINTS: Record<
  'galgame' | 'light' | 'manga' | 'character' | 'other',
  [light: Tint, dark: Tint]
> = {
  galgame: [
    ['#f3e1e6', '#74283f'],
    ['#3a232b', '#f0b9c8'],
  ],
  light: [
    ['#dfe7f3', '#27477c'],
    ['#202b3d', '#b5cbf1'],
  ],
  manga: [
    ['#e2ecdf', '#2c5430'],
    ['#213024', '#b4d8b5'],
  ],
  character: [
    ['#efe6f2', '#5a3672'],
    ['#31263a', '#d8bfe8'],
  ],
  other: [
    ['#ece7dd', '#4b463d'],
    ['#2b2d31', '#cfcbc2'],
  ],
}

/** The colors follow the theme of the page that shows the picture. */
function styleOf([light, dark]: [Tint, Tint]) {
  const rules = ([background, ink]: Tint) => `rect{fill:${background}}text,.spine{fill:${ink}}`
  return new Html(`<style>${rules(light)}@media(prefers-color-scheme:dark){${rules(dark)}}</style>`)
}

/** Maximum width of a line, in letters. A Han character or kana counts as two. */
const LINE_WIDTH = 14
const MAX_LINES = 6

/**
 * Renders the placeholder as an SVG picture, so that browsers never show a broken image for a URL a
 * page already contains.
 */
export function fallbackPicture(kind: PictureKind, title: string): string {
  const tints = Object.entries(TINTS).find(([start]) => kind.startsWith(start))?.[1] ?? TINTS.other
  const initial = initialOf(kind, title)
  const text =
    initial === undefined
      ? html`<rect class="spine" width="14" height="360" fill-opacity="0.18"/><text font-family="system-ui, sans-serif" font-size="25" font-weight="650">${wrap(title).map((line, index) => html`<tspan x="30" y="${110 + index * 34}">${line}</tspan>`)}</text>`
      : html`<text font-family="system-ui, sans-serif" font-size="80" font-weight="600" text-anchor="middle"><tspan x="120" y="208">${initial}</tspan></text>`
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 360" width="240" height="360">${styleOf(tints)}<rect width="240" height="360"/>${text}</svg>`.toString()
}

function wrap(title: string): string[] {
  const lines: string[] = []
  let line = ''
  let room = LINE_WIDTH
  for (const letter of title) {
    const width = letter > '\u2e7f' ? 2 : 1
    if (width > room) {
      lines.push(line)
      line = ''
      room = LINE_WIDTH
    }
    if (lines.length === MAX_LINES) return [...lines.slice(0, -1), `${lines.at(-1)?.slice(0, -1)}…`]
    line += letter
    room -= width
  }
  return [...lines, line]
}
