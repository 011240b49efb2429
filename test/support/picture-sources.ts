/** Returns the source's address for a signed picture address. */
export const sourceOf = (url: string) =>
  url.replace(/^.*\/pictures\/[\w-]{22}\/(https?)\//, '$1://')
