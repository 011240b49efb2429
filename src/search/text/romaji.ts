/**
 * Unifies romanizations of Japanese: `shi si`, `chi ti`, `tsu tu`, `fu hu`, `ji zi di`, `zu du dzu`, `sha sya`,
 * `cha tya`, `ja jya zya`. Long vowels become short (`ou oo oh uu aa`), doubled consonants single (also in `tch`
 * and `cch`), `m` before b, p, m becomes `n`, `wo` becomes `o`, and `v` becomes `b`.
 *
 * Text in other languages is distorted, but in the same way in queries and names.
 */
export function foldRomaji(text: string): string {
  let out = ''
  for (let at = 0; at < text.length;) {
    const [letters, read] = foldAt(text, at, out.at(-1))
    at += read
    for (const letter of letters) {
      const last = out.at(-1)
      if ((letter === last && isLetter(letter)) || (letter === 'u' && last === 'o')) continue
      out += letter
    }
  }
  return out
}

/**
 * Folds the letters at a position. Returns the folded text and the number of letters read.
 *
 * @param last last letter written so far
 */
function foldAt(text: string, at: number, last = ''): [letters: string, read: number] {
  const char = text.charAt(at)
  const next = text.charAt(at + 1)
  const third = text.charAt(at + 2)
  switch (char) {
    case 'c':
      if (next === 'h') return [glide('t', third), 2]
      return next === 'c' ? ['', 1] : [char, 1]
    case 's':
      return next === 'h' ? [glide('s', third), 2] : [char, 1]
    case 't':
      // A query that is being typed may end in `ts`, the beginning of `tsu`.
      if (next === 's')
        return isVowel(third) && third !== 'u' ? ['ts', 2] : ['t', third === 'h' ? 1 : 2]
      return [char, 1]
    case 'j':
      return [glide('z', next), 1]
    case 'd':
      if (next === 'z') return ['', 1]
      return [next === 'i' || next === 'u' || next === 'y' ? 'z' : char, 1]
    case 'f':
      return [next === 'u' ? 'h' : char, 1]
    case 'h':
      return [last === 'o' && !isVowel(next) && next !== 'y' ? '' : char, 1]
    case 'm':
      return [next === 'b' || next === 'p' || next === 'm' ? 'n' : char, 1]
    case 'v':
      return ['b', 1]
    case 'w':
      return [next === 'o' ? '' : char, 1]
    default:
      return [char, 1]
  }
}

/** Folds `shi` to `si` and `sha` to `sya`. A query that is being typed may end in `sh`, the beginning of both. */
function glide(consonant: string, vowel: string): string {
  return isVowel(vowel) && vowel !== 'i' ? `${consonant}y` : consonant
}

function isVowel(letter: string): boolean {
  return letter !== '' && 'aiueo'.includes(letter)
}

function isLetter(char: string): boolean {
  return char >= 'a' && char <= 'z'
}
