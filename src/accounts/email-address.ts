import { domainToASCII } from 'node:url'

/**
 * Returns an address in its stored form: NFKC, with an internationalized domain in its ASCII form. Lookalikes of ASCII
 * letters become those letters, so equal addresses mean the same mailbox.
 */
export function normalizeEmail(text: string): string {
  const address = text.normalize('NFKC').trim()
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  return isAscii(domain) ? address : address.slice(0, at + 1) + domainToASCII(domain)
}

/**
 * SQL condition that `account` has the address, as typed or in its stored form. Older versions stored addresses as
 * typed. Such an address takes precedence.
 *
 * @param typed SQL for the address as typed
 * @param normalized SQL for the address in its stored form (`normalizeEmail`)
 */
export const hasEmail = (typed: string, normalized: string) => `account.id = (
    select named.id
    from accounts named
    where fold_email(named.email) in (fold_email(${typed}), fold_email(${normalized}))
    order by fold_email(named.email) = fold_email(${typed}) desc
    limit 1
  )`

export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/** Lower-cases ASCII letters only, as `fold_email()` does in the database. */
export const foldEmail = (email: string) =>
  email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameEmail = (a: string, b: string) => foldEmail(a) === foldEmail(b)
