/** Bytes of a mebibyte. */
export const MEBIBYTE = 2 ** 20
