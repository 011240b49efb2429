import { Html, html } from '../../ui/html.ts'
import { fitTitle, initialOf, LINE_HEIGHT, TITLE_SIZES } from './placeholder-title.ts'
import { hueOf } from './picture.ts'
import type { PictureKind } from './picture-kinds.ts'

const WIDTH = 240
const HEIGHT = 360

/** Degrees between two hues; `tokens.css` has the same hues and colors. */
const HUE_STEP = 45

/** The colors follow the theme of the page that shows the picture. */
function styleOf(hue: number) {
  const rules = (ground: string, motif: string, ink: string) =>
    `rect{fill:oklch(${ground} ${hue})}.motif{fill:oklch(${motif} ${hue + 40})}text{fill:oklch(${ink} ${hue})}`
  return new Html(
    `<style>${rules('0.89 0.04', '0.8 0.07', '0.34 0.09')}@media(prefers-color-scheme:dark){${rules('0.33 0.045', '0.42 0.06', '0.92 0.04')}}</style>`,
  )
}

/** Drawings of the kinds, as in `pictures.css`. */
const MOTIFS = {
  galgame: html`<circle class="motif" cx="165" cy="105" r="53"/>`,
  light: html`<path class="motif" d="M0 0h16v360H0zM40 58h170v7H40zM40 76h120v7H40z"/>`,
  manga: html`<path class="motif" d="M240 0v150L96 0z"/>`,
}

/**
 * Renders the placeholder as an SVG picture, so that browsers never show a broken image for a URL a
 * page already contains. The picture has no intrinsic proportions, so that nothing shifts when it replaces another.
 */
export function fallbackPicture(kind: PictureKind, id: number, title: string): string {
  const initial = initialOf(kind, title)
  const motif = Object.entries(MOTIFS).find(([start]) => kind.startsWith(start))?.[1]
  const font = html`font-family="system-ui, sans-serif" font-weight="700"`
  const text =
    initial === undefined
      ? html`${motif}${titleText(title, font)}`
      : html`<text ${font} font-size="80" text-anchor="middle"><tspan x="120" y="208">${initial}</tspan></text>`
  return html`<svg xmlns="http://www.w3.org/2000/svg">${styleOf(hueOf(id) * HUE_STEP)}<rect width="100%" height="100%"/><svg viewBox="0 0 ${WIDTH} ${HEIGHT}">${text}</svg></svg>`.toString()
}

/** Share of the usual size, because the browser's own font may be wider than the page's. */
const SCALE = 0.86

/** Renders a title at the bottom of the picture. */
function titleText(title: string, font: Html): Html {
  const { step, lines } = fitTitle(title)
  const size = ((TITLE_SIZES[step] ?? 0) * SCALE * WIDTH) / 100
  const top = HEIGHT * 0.93 - (lines.length - 1) * size * LINE_HEIGHT
  return html`<text ${font} font-size="${size}">${lines.map((line, index) => html`<tspan x="24" y="${Math.round(top + index * size * LINE_HEIGHT)}">${line}</tspan>`)}</text>`
}
