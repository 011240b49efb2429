/**
 * Latin letters with the spellings of Japanese as one: `shi si`, `chi ti`, `tsu tu`, `fu hu`, `ji zi di`, `zu du dzu`,
 * `sha sya`, `cha tya`, `ja jya zya`; long vowels short (`ou oo oh uu aa`); doubled consonants single, as in `tch` and
 * `cch`; `n` for `m` before b, p, m; `wo` as `o`, `v` as `b`. Other languages come out odd, in a query as in a name.
 */
export function foldRomaji(text: string): string {
  if (!/[a-z]/.test(text)) return text
  let out = ''
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at)
    if (!READ_WITH_OTHERS.has(char)) {
      at += 1
      const last = out.at(-1)
      if (!(char === last && isLetter(char)) && !(char === 'u' && last === 'o')) out += char
      continue
    }
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

/** Letters that are read together with those beside them. */
const READ_WITH_OTHERS = new Set('cstjdfhmvw')

/** What stands for the letters from a place on, and how many they are; `last` was written before. */
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
      if (next === 'c' && third === 'h') return ['', 1]
      // Half typed, `ts` is the beginning of `tsu`.
      if (next === 's')
        return isVowel(third) && third !== 'u' ? ['ts', 2] : ['t', third === 'h' ? 1 : 2]
      return [char, 1]
    case 'j':
      return next === 'y' ? ['z', 1] : [glide('z', next), 1]
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

/** `shi` is `si`, `sha` is `sya`; half typed, `sh` is the beginning of both. */
function glide(consonant: string, vowel: string): string {
  return isVowel(vowel) && vowel !== 'i' ? `${consonant}y` : consonant
}

function isVowel(letter: string): boolean {
  return letter !== '' && 'aiueo'.includes(letter)
}

function isLetter(char: string): boolean {
  return char >= 'a' && char <= 'z'
}
