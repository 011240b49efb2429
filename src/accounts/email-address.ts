import { domainToASCII } from 'node:url'

/**
 * An address as it is stored: in compatibility form, with an internationalized domain in its ASCII form. So look-alikes of
 * ASCII letters become these letters, and both sides of a comparison mean the same mailbox.
 */
export function normalizeEmail(text: string): string {
  const address = text.normalize('NFKC').trim()
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  return isAscii(domain) ? address : address.slice(0, at + 1) + domainToASCII(domain)
}

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/** Lower case of ASCII letters alone, as the database's fold_email() has it. */
export const foldEmail = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameEmail = (one: string, other: string) => foldEmail(one) === foldEmail(other)
