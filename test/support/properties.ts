import fc from 'fast-check'

// In CI a commit is judged by itself and not by luck; elsewhere every run tries something new.
if (process.env['CI'] === 'true') fc.configureGlobal({ seed: 14_791 })

/** Any text at all, halves of surrogate pairs included; the units of fast-check take seconds to be made ready. */
export function anyText(maxLength: number) {
  return fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((codes) =>
      String.fromCodePoint(...codes.map((code) => (code % 8 === 0 ? code : code & 0xffff))),
    )
}

export { fc }
