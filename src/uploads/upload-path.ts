/** By the SHA-256 of the picture in base64url. */
const FILE = /^([A-Za-z0-9_-]{43})\.webp$/

/** Where an uploaded picture is shown, as a path of ours. */
export const uploadPath = (hash: string) => `/uploads/${hash}.webp`

/** The hash that the last part of such a path names; undefined of any other text. */
export const hashOfUploadFile = (file: string): string | undefined => FILE.exec(file)?.[1]

/**
 * The address of a picture of an account or app for those who are not on our pages.
 *
 * @param picture an address of the web, or a path of ours
 * @param origin where our pages are, without a slash at the end
 */
export const absolutePictureUrl = (picture: string, origin: string) =>
  picture.startsWith('/') ? origin + picture : picture
