/**
 * Returns the name of a cookie for the whole host. Cookies ignore ports. Without https, on a developer's machine, the
 * name must not collide with that of an app on the same host, such as Flask's `session`.
 */
export const cookieName = (name: string, secure: boolean) =>
  secure ? `__Host-${name}` : `mokuroku-${name}`
