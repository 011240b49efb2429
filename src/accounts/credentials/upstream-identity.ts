/** A user at another OpenID provider, as its ID token and userinfo endpoint describe them. */
export type UpstreamIdentity = {
  /** Issuer of the settings (`UPSTREAM_NAME_ISSUER`). */
  issuer: string
  subject: string
  /** Address in its stored form; null if missing or invalid. */
  email: string | null
  /** Whether the provider says that it has verified the address. */
  email_verified: boolean
  /** Name that `checkName` accepts; null if missing or invalid. */
  name: string | null
}
