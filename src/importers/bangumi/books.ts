import { toHalfWidth } from './text.ts'

/** The first valid ISBN of a text as ISBN-13, digits only; an ISBN-10 is converted. A wrong check digit is no ISBN. */
export function parseIsbn(text: string): string | undefined {
  const candidates =
    toHalfWidth(text)
      .toUpperCase()
      .match(/\d[\d\s-]{8,}[\dX]/g) ?? []
  for (const candidate of candidates) {
    const digits = candidate.replace(/[^\dX]/g, '')
    if (/^97[89]\d{10}$/.test(digits) && checkDigit13(digits) === digits.at(-1)) return digits
    if (/^\d{9}[\dX]$/.test(digits) && checkDigit10(digits) === digits.at(-1)) {
      const body = `978${digits.slice(0, 9)}`
      return `${body}${checkDigit13(body)}`
    }
  }
  return undefined
}

/** Over the first twelve digits, weighted 1, 3, 1, 3 …, modulo 10. */
function checkDigit13(digits: string): string {
  const sum = digits
    .slice(0, 12)
    .split('')
    .reduce((sum, digit, index) => sum + Number(digit) * (index % 2 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}

/** Over the first nine digits, weighted 10, 9, 8 …, modulo 11; ten is written X. */
function checkDigit10(digits: string): string {
  const sum = digits
    .slice(0, 9)
    .split('')
    .reduce((sum, digit, index) => sum + Number(digit) * (10 - index), 0)
  const check = (11 - (sum % 11)) % 11
  return check === 10 ? 'X' : String(check)
}

/** A count of pages or volumes: `208页`, `既刊6巻`, `3册`; only a positive whole number that fits its column. */
export function parseCount(text: string): number | undefined {
  const count = Number(/\d+/.exec(toHalfWidth(text).replaceAll(',', ''))?.[0] ?? 0)
  return count > 0 && count < 100_000 ? count : undefined
}
