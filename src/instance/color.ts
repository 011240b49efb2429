/** Conversions of sRGB colors, with `#rrggbb` as their text. Channels are from 0 to 1. */

type Triple = readonly [number, number, number]

/** Color in OKLCH: lightness from 0 to 1, chroma, and hue in radians. */
export type Oklch = { lightness: number; chroma: number; hue: number }

const channelsOf = (color: string): Triple => {
  const value = Number.parseInt(color.slice(1), 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

const linear = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4

const encoded = (channel: number) =>
  channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055

/** Returns the relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const [red, green, blue] = channelsOf(color)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Converts a color to OKLCH (https://bottosson.github.io/posts/oklab/), where lightness is perceptually uniform. */
export function toOklch(color: string): Oklch {
  const [red, green, blue] = channelsOf(color)
  const [r, g, b] = [linear(red), linear(green), linear(blue)]
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const bAxis = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, bAxis),
    hue: Math.atan2(bAxis, a),
  }
}

function toLinear({ lightness, chroma, hue }: Oklch): Triple {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

const isInGamut = (color: Oklch) =>
  toLinear(color).every((channel) => channel >= -0.0005 && channel <= 1.0005)

/** Converts a color to sRGB. Reduces the chroma if no screen can show it at this lightness. */
export function fromOklch(color: Oklch): string {
  let [low, high] = [0, color.chroma]
  if (!isInGamut(color))
    for (let step = 0; step < 16; step += 1) {
      const middle = (low + high) / 2
      if (isInGamut({ ...color, chroma: middle })) low = middle
      else high = middle
    }
  const shown = { ...color, chroma: isInGamut(color) ? color.chroma : low }
  return `#${toLinear(shown)
    .map((channel) => Math.round(encoded(Math.min(1, Math.max(0, channel))) * 255))
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`
}
