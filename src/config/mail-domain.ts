/** Labels of letters, digits and hyphens; the last one starts with a letter, so it is not an IP address. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z](?:[a-z\d-]*[a-z\d])?$/

/** Whether a text is a domain in lower case and ASCII form, without a trailing dot. */
export const isMailDomain = (text: string) => text.length <= 253 && DOMAIN.test(text)

/**
 * Whether the domain of an address is one of those in a list. Characters that no domain contains never match.
 *
 * @param email in its stored form (`normalizeEmail`)
 * @param domains from the setting; a leading dot means the subdomains. An empty list accepts every domain
 */
export function isAcceptedDomain(email: string, domains: readonly string[]): boolean {
  if (domains.length === 0) return true
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return (
    isMailDomain(domain) &&
    domains.some((accepted) =>
      accepted.startsWith('.') ? domain.endsWith(accepted) : domain === accepted,
    )
  )
}
