/** Maps katakana and hiragana to hiragana, and small `ヶ ヵ` to large kana. Returns 0 for other characters. */
export function toHiragana(code: number): number {
  const hiragana = code >= 0x30a1 ? code - 0x60 : code
  if (!isHiragana(hiragana)) return 0
  if (hiragana === 0x3095) return 0x304b
  return hiragana === 0x3096 ? 0x3051 : hiragana
}

export function isHiragana(code: number): boolean {
  return code >= 0x3041 && code <= 0x3096
}

/** Returns whether a character is a repetition mark: `々 〻 ゝ ヽ`. */
export function isRepetitionMark(code: number): boolean {
  return code === 0x3005 || code === 0x303b || code === 0x309d || code === 0x30fd
}
