/** A file name with the SHA-256 of the picture, in base64url. */
const FILE = /^([A-Za-z0-9_-]{43})\.webp$/

export const uploadPath = (hash: string) => `/uploads/${hash}.webp`

/** Parses the hash from the file name of an uploaded picture; undefined if it is malformed. */
export const hashOfUploadFile = (file: string): string | undefined => FILE.exec(file)?.[1]

/**
 * Returns the absolute URL of an account's or app's picture, for use outside our pages.
 *
 * @param picture a URL, or a path of this service
 * @param origin base URL of our pages, without a trailing slash
 */
export const absolutePictureUrl = (picture: string, origin: string) =>
  picture.startsWith('/') ? origin + picture : picture
