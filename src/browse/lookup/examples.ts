/** An answer of the bundled sample, shortened; a test holds it against it. */
export const LOOKUP_EXAMPLE = {}
