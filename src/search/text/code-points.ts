/** Hiragana for kana of both scripts, small `ヶ ヵ` as large; 0 for all else. */
export function toHiragana(code: number): number {
  const hiragana = code >= 0x30a1 && code <= 0x30f6 ? code - 0x60 : code
  if (!isHiragana(hiragana)) return 0
  if (hiragana === 0x3095) return 0x304b
  return hiragana === 0x3096 ? 0x3051 : hiragana
}

export function isHiragana(code: number): boolean {
  return code >= 0x3041 && code <= 0x3096
}

/** The block that nearly all Han characters of names are in. */
export function isCommonHan(code: number): boolean {
  return code >= 0x4e00 && code <= 0x9fff
}

/** `々 〻 ゝ ヽ`. */
export function isRepetition(code: number): boolean {
  return code === 0x3005 || code === 0x303b || code === 0x309d || code === 0x30fd
}

/** The letters that syllables are taken apart into. */
export function isHangul(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xd7b0 && code <= 0xd7ff)
  )
}

/** Vowels and what ends a syllable. */
export function isJoinedJamo(code: number): boolean {
  return (code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7ff)
}

/** A lower-case letter or a digit. */
export function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
