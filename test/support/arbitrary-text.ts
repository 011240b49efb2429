import fc from 'fast-check'

// CI uses a fixed seed, so that a commit's result is reproducible. Elsewhere every run tries new values.
if (process.env['CI'] === 'true') fc.configureGlobal({ seed: 14_791 })

/** Arbitrary text, including lone surrogates. The string units of fast-check take seconds to initialize. */
export function arbitraryText(maxLength: number) {
  return fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((codes) =>
      String.fromCodePoint(...codes.map((code) => (code % 8 === 0 ? code : code & 0xffff))),
    )
}

export { fc }
