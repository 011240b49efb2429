/**
 * Converts an ISBN-10 or ISBN-13 to an ISBN-13 of digits only. Hyphens and spaces between the digits are allowed.
 *
 * @returns undefined if the string is not an ISBN or its check digit is wrong
 */
export function toIsbn13(text: string): string | undefined {
  const digits = text.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  if (/^97[89]\d{10}$/.test(digits))
    return checkDigit13(digits) === digits.at(-1) ? digits : undefined
  if (!/^\d{9}[\dX]$/.test(digits) || checkDigit10(digits) !== digits.at(-1)) return undefined
  const body = `978${digits.slice(0, 9)}`
  return `${body}${checkDigit13(body)}`
}

/** Check digit of an ISBN-13: the first twelve digits weighted 1, 3, 1, 3 …, modulo 10. */
function checkDigit13(digits: string): string {
  const sum = digits
    .slice(0, 12)
    .split('')
    .reduce((sum, digit, index) => sum + Number(digit) * (index % 2 ? 3 : 1), 0)
  return String((10 - (sum % 10)) % 10)
}

/** Check digit of an ISBN-10: the first nine digits weighted 10, 9, 8 …, modulo 11. Ten is written X. */
function checkDigit10(digits: string): string {
  const sum = digits
    .slice(0, 9)
    .split('')
    .reduce((sum, digit, index) => sum + Number(digit) * (10 - index), 0)
  const check = (11 - (sum % 11)) % 11
  return check === 10 ? 'X' : String(check)
}
