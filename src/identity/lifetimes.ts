const DAY = 86_400

/** How long things live, in seconds (§3, §8, decision 0003). */

export const ACCESS_TOKEN_LIFETIME_SECONDS = 3_600
export const AUTHORIZATION_CODE_LIFETIME_SECONDS = 60
/** From its last use; and never beyond the consent it came from. */
export const REFRESH_TOKEN_LIFETIME_SECONDS = 30 * DAY
/** SQL interval, from a refresh token's first use, during which it can be reused until a successor is used. */
export const REFRESH_TOKEN_REUSE_INTERVAL = '1 day'
export const CONSENT_LIFETIME_SECONDS = 180 * DAY
/** From the last sign-in, or request of an app. */
export const SESSION_LIFETIME_SECONDS = 14 * DAY
/** Of a browser without a sign-in: it holds no more than the secret of a form. */
export const ANONYMOUS_SESSION_LIFETIME_SECONDS = 3_600
/** Time to sign in and consent. */
export const INTERACTION_LIFETIME_SECONDS = 3_600
/** Time to open another device and type the code. */
export const DEVICE_CODE_LIFETIME_SECONDS = 600

/** How long an app keeps its access while its reader is away, from when it was allowed. */
export const offlineAccessLimits = (allowedAt: Date): { until: Date; maxIdleDays: number } => ({
  until: new Date(allowedAt.getTime() + CONSENT_LIFETIME_SECONDS * 1_000),
  maxIdleDays: REFRESH_TOKEN_LIFETIME_SECONDS / DAY,
})
