/** An ISBN of ten or thirteen digits as one of thirteen; undefined for what is none by its length. The check digit is not looked at. */
export function toIsbn13(text: string): string | undefined {
  const digits = text.normalize('NFKC').replaceAll(/[^\dXx]/g, '')
  if (/^97[89]\d{10}$/.test(digits)) return digits
  if (!/^\d{9}[\dXx]$/.test(digits)) return undefined
  const start = `978${digits.slice(0, 9)}`
  const sum = [...start].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
  return `${start}${(10 - (sum % 10)) % 10}`
}
