import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { accentStylesheet, accentTokens, MIN_CONTRAST, THEME_GROUNDS } from './accent.ts'
import { contrast, fromOklch, toOklch } from './color.ts'

const COLOR = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the accent color', () => {
  it('is checked with the contrast ratio that WCAG 2.2 defines', () => {
    assert.equal(contrast('#ffffff', '#000000'), 21)
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
    assert.equal(contrast('#0000ff', '#ff0000').toFixed(2), '2.15')
  })

  it('survives the conversion to OKLCH and back', () => {
    fc.assert(
      fc.property(COLOR, (color) => assert.equal(fromOklch(toOklch(color)), color)),
      { numRuns: 2_000 },
    )
  })

  it('gives links, buttons and notices enough contrast in both themes, whatever color is chosen', () => {
    fc.assert(
      fc.property(COLOR, (color) => {
        const tokens = accentTokens(color)
        for (const theme of ['light', 'dark'] as const) {
          const { accent, accentStrong, onAccent, noticeGround } = tokens[theme]
          const { grounds, text } = THEME_GROUNDS[theme]
          const pairs = [
            ...[...grounds, noticeGround].flatMap((ground) =>
              [accent, accentStrong].map((ink) => [ink, ground] as const),
            ),
            [onAccent, accent] as const,
            [onAccent, accentStrong] as const,
            ...text.map((ink) => [ink, noticeGround] as const),
          ]
          for (const [ink, ground] of pairs)
            assert.ok(contrast(ink, ground) >= MIN_CONTRAST, `${color}: ${ink} on ${ground}`)
          assert.notEqual(accent, accentStrong)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('is used as configured if it is readable, and otherwise adjusted without changing its hue', () => {
    assert.equal(accentTokens('#2b4c80').light.accent, '#2b4c80')
    assert.equal(accentTokens('#ffd400').dark.accent, '#ffd400')
    const [given, adapted] = ['#ffd400', accentTokens('#ffd400').light.accent].map(toOklch)
    assert.ok(Math.abs((given?.hue ?? 0) - (adapted?.hue ?? 9)) < 0.03)
  })

  it('is computed against the background colors in tokens.css', () => {
    const tokens = readFileSync(new URL('../ui/assets/styles/tokens.css', import.meta.url), 'utf8')
    const pairOf = (name: string) =>
      new RegExp(`--${name}: light-dark\\((.*?), (.*?)\\);`).exec(tokens)?.slice(1)
    const { light, dark } = THEME_GROUNDS
    for (const [index, name] of ['paper', 'surface'].entries())
      assert.deepEqual(pairOf(name), [light.grounds[index], dark.grounds[index]])
    for (const [index, name] of ['ink', 'quiet'].entries())
      assert.deepEqual(pairOf(name), [light.text[index], dark.text[index]])
    for (const [, name = ''] of accentStylesheet('#008000').matchAll(/--([\w-]+):/g))
      assert.ok(pairOf(name), name)
  })
})
