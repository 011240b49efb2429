import manifest from '../../package.json' with { type: 'json' }

/** Defined by `build/bundle.ts`; missing if the sources run directly. */
declare const BUILD_COMMIT: string | undefined

export const VERSION: string = manifest.version

/**
 * Commit that the program was built from, with `-dirty` if files had been changed since. Undefined if the build did not
 * know it.
 */
export const COMMIT: string | undefined =
  typeof BUILD_COMMIT === 'string' && BUILD_COMMIT !== '' ? BUILD_COMMIT : undefined
