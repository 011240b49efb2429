/**
 * The name of a cookie of ours for the whole host. Cookies do not know ports: without https, which means a machine of a
 * developer, it must not be one that an app on the same host is likely to use, such as Flask's `session`.
 */
export const cookieName = (name: string, secure: boolean) =>
  secure ? `__Host-${name}` : `mokuroku-${name}`
