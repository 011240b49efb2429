/** Name of this program, and of a site that has no other name. */
export const SOFTWARE_NAME = 'mokuroku'
