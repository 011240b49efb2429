const FIRST = 0x3041
/**
 * Romanized hiragana in Unicode order. `っ` is empty, because it only doubles a consonant, and folding removes doubled
 * consonants.
 */
const SYLLABLES = (
  'a a i i u u e e o o ka ga ki gi ku gu ke ge ko go sa za si zi su zu se ze so zo ta da ti zi - tu zu te de to do ' +
  'na ni nu ne no ha ba pa hi bi pi hu bu pu he be pe ho bo po ma mi mu me mo - ya - yu - yo ra ri ru re ro - wa i e o n'
)
  .split(' ')
  .map((syllable) => (syllable === '-' ? '' : syllable))
const SMALL_GLIDES: Readonly<Record<string, string>> = { ゃ: 'ya', ゅ: 'yu', ょ: 'yo', ゎ: 'wa' }
const SMALL_VOWELS: Readonly<Record<string, string>> = {
  ぁ: 'a',
  ぃ: 'i',
  ぅ: 'u',
  ぇ: 'e',
  ぉ: 'o',
}

/** Romanizes the kana in folded text. `foldRomaji` then unifies the spelling with other romanizations. */
export function romanizeKana(text: string): string {
  let out = ''
  for (const char of text) {
    const vowel = SMALL_VOWELS[char]
    const glide = SMALL_GLIDES[char]
    if (vowel !== undefined) out = addSmallVowel(out, vowel)
    else if (glide !== undefined) out = (/[iue]$/.test(out) ? out.slice(0, -1) : out) + glide
    else out += SYLLABLES[char.charCodeAt(0) - FIRST] ?? char
  }
  return out
}

/**
 * Adds a small vowel. In `うぃ ふぁ てぃ しぇ` it replaces the vowel of the previous syllable; elsewhere, as in `なぁ`, it
 * lengthens it.
 */
function addSmallVowel(out: string, vowel: string): string {
  const stem = out.slice(0, -1)
  const consonant = stem.at(-1) ?? ''
  switch (out.at(-1)) {
    case 'u':
      if (vowel === 'u') return out
      if (consonant === 'h') return `${stem.slice(0, -1)}f${vowel}`
      if (consonant === 't') return `${stem}s${vowel}`
      if (/[kg]/.test(consonant)) return out + vowel
      return /[a-z]/.test(consonant) ? stem + vowel : `${stem}w${vowel}`
    case 'i':
      return vowel === 'e' ? `${stem}ye` : out + vowel
    case 'e':
      return vowel === 'i' && /[td]/.test(consonant) ? stem + vowel : out + vowel
    case 'o':
      return vowel === 'u' && /[td]/.test(consonant) ? stem + vowel : out + vowel
    default:
      return out + vowel
  }
}
