/** Returns the source URL of a signed picture URL. */
export const sourceOf = (url: string) =>
  url.replace(/^.*\/pictures\/[\w-]{22}\/(https?)\//, '$1://')
