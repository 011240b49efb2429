import type { PageViewer } from './page/site.ts'

/** Age, in seconds, up to which a sign-in allows actions that need a recent one. */
const RECENT_SIGN_IN_SECONDS = 30 * 60

export const isRecentSignIn = (
  { signedInAt }: Pick<PageViewer, 'signedInAt'>,
  now = Date.now(),
): boolean => now / 1_000 - signedInAt < RECENT_SIGN_IN_SECONDS
