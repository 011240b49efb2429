import { ConfigError } from '../config/config.ts'
import { contrast, fromOklch, toOklch, type Oklch } from './color.ts'

/** The tokens of `tokens.css` that follow the accent color, in one theme. */
export type AccentTokens = {
  accent: string
  accentStrong: string
  onAccent: string
  noticeGround: string
}

/** Colors of a theme on which the accent is shown, from `tokens.css`, and how it is adapted to them. */
type ThemeGround = {
  grounds: readonly string[]
  text: readonly string[]
  /** Text on the accent: white in the light theme, almost black in the dark one, as by default. */
  onAccent: readonly [preferred: string, other: string]
  /** Direction in which lightness raises the contrast. */
  direction: 1 | -1
  notice: { lightness: number; chroma: number }
  /** Contrast of the accent. Thin light strokes on a dark ground need more than the minimum. */
  target: number
}

/** Minimum contrast of text (WCAG 2.2, success criterion 1.4.3, level AA). */
export const MIN_CONTRAST = 4.5

export const THEME_GROUNDS: Readonly<Record<'light' | 'dark', ThemeGround>> = {
  light: {
    grounds: ['#f6f4f0', '#fffefc'],
    text: ['#24211d', '#5c5750'],
    onAccent: ['#ffffff', '#10151e'],
    direction: -1,
    notice: { lightness: 0.958, chroma: 0.012 },
    target: MIN_CONTRAST + 0.1,
  },
  dark: {
    grounds: ['#14161a', '#1d2025'],
    text: ['#e9e7e2', '#b0aea8'],
    onAccent: ['#10151e', '#ffffff'],
    direction: 1,
    notice: { lightness: 0.283, chroma: 0.025 },
    target: 6.5,
  },
}

/** Steps of lightness that are tried, from the given color to black or white. */
const STEPS = 200
/** Lightness between the accent and the color of hovered links and buttons. */
const HOVER_DISTANCE = 0.07
/** Distance for black and white, which can only move the other way. Differences of dark colors are hard to see. */
const REVERSED_HOVER_DISTANCE = 0.15

/**
 * Derives the tokens of both themes from one color. Hue and chroma stay; the lightness is the nearest with enough
 * contrast for text, links and buttons.
 *
 * @throws {ConfigError} that names the contrast which no lightness reaches
 */
export const accentTokens = (color: string) => ({
  light: tokensIn('light', color),
  dark: tokensIn('dark', color),
})

function tokensIn(theme: 'light' | 'dark', color: string): AccentTokens {
  const { grounds, text, onAccent, direction, notice, target } = THEME_GROUNDS[theme]
  const given = toOklch(color)
  // Gray stays gray.
  const noticeGround = fromOklch({
    ...given,
    lightness: notice.lightness,
    chroma: Math.min(given.chroma, notice.chroma),
  })
  const allGrounds = [...grounds, noticeGround]
  const isReadable = (accent: string) =>
    allGrounds.every((ground) => contrast(accent, ground) >= target)
  const accent = nearestLightness(given, direction, isReadable)
  const hovered = accent && hoverColor(accent, direction, isReadable)
  const label = onAccent.find((ink) =>
    [accent, hovered].every((ground) => ground && contrast(ink, ground) >= MIN_CONTRAST),
  )
  const unreadable = text.find((ink) => contrast(ink, noticeGround) < MIN_CONTRAST)
  if (!accent || !hovered || !label || unreadable !== undefined)
    throw new ConfigError(
      `ACCENT_COLOR must be a color with which links, buttons and notices of the ${theme} theme can have a contrast of ${MIN_CONTRAST}:1, not ${JSON.stringify(color)}.`,
    )
  return { accent, accentStrong: hovered, onAccent: label, noticeGround }
}

/** Returns the color itself if it is readable, or else the nearest lighter or darker one that is. */
function nearestLightness(
  given: Oklch,
  direction: 1 | -1,
  isReadable: (color: string) => boolean,
): string | undefined {
  const end = direction === 1 ? 1 : 0
  for (let step = 0; step <= STEPS; step += 1) {
    const lightness = given.lightness + ((end - given.lightness) * step) / STEPS
    const color = fromOklch({ ...given, lightness })
    if (isReadable(color)) return color
  }
  return undefined
}

/** Returns a color with more contrast, or with less if the accent is already black or white. */
function hoverColor(accent: string, direction: 1 | -1, isReadable: (color: string) => boolean) {
  const start = toOklch(accent)
  return [direction * HOVER_DISTANCE, -direction * REVERSED_HOVER_DISTANCE]
    .map((distance) => ({ ...start, lightness: start.lightness + distance }))
    .filter(({ lightness }) => lightness >= 0 && lightness <= 1)
    .map(fromOklch)
    .find(isReadable)
}

/** Returns the stylesheet that replaces the default accent. Printing stays black. */
export function accentStylesheet(color: string): string {
  const { light, dark } = accentTokens(color)
  const pair = (name: keyof AccentTokens) => `light-dark(${light[name]}, ${dark[name]})`
  return `@media not print {
  :root {
    --accent: ${pair('accent')};
    --accent-strong: ${pair('accentStrong')};
    --on-accent: ${pair('onAccent')};
    --notice-ground: ${pair('noticeGround')};
  }
}
`
}
