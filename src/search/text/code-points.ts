/** Maps katakana and hiragana to hiragana, and small `ヶ ヵ` to large kana. Returns 0 for other characters. */
export function toHiragana(code: number): number {
  const hiragana = code >= 0x30a1 && code <= 0x30f6 ? code - 0x60 : code
  if (!isHiragana(hiragana)) return 0
  if (hiragana === 0x3095) return 0x304b
  return hiragana === 0x3096 ? 0x3051 : hiragana
}

export function isHiragana(code: number): boolean {
  return code >= 0x3041 && code <= 0x3096
}

/** Returns whether a character is in the Unicode block that contains nearly all Han characters in names. */
export function isCommonHan(code: number): boolean {
  return code >= 0x4e00 && code <= 0x9fff
}

/** Returns whether a character is a repetition mark: `々 〻 ゝ ヽ`. */
export function isRepetitionMark(code: number): boolean {
  return code === 0x3005 || code === 0x303b || code === 0x309d || code === 0x30fd
}

/** Returns whether a character is one of the Hangul letters (jamo) into which normalization decomposes syllables. */
export function isJamo(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xd7b0 && code <= 0xd7ff)
  )
}

/** Returns whether a character is a Hangul vowel or final consonant. */
export function isNonInitialJamo(code: number): boolean {
  return (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff)
}

/** Returns whether a character is an ASCII lower-case letter or digit. */
export function isAsciiAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
