/**
 * An ISBN-13 or ISBN-10 as ISBN-13, digits only; undefined when it is neither, or its check digit is wrong.
 *
 * @param text with hyphens or spaces between its digits, or without
 */
export function toIsbn13(text: string): string | undefined {
  const digits = text.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  if (/^97[89]\d{10}$/.test(digits))
    return checkDigit13(digits) === digits.at(-1) ? digits : undefined
  if (!/^\d{9}[\dX]$/.test(digits) || checkDigit10(digits) !== digits.at(-1)) return undefined
  const body = `978${digits.slice(0, 9)}`
  return `${body}${checkDigit13(body)}`
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
