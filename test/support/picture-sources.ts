/** The source's address of a picture that an answer shows at a signed address of the service. */
export const sourceOf = (url: string) => url.replace(/^.*\/pictures\/[\w-]{22}\/(https?)\//, '$1://')
