const DAY = 86_400

/** Lifetimes (§3, §8, decision 0003). */

export const ACCESS_TOKEN_LIFETIME_SECONDS = 3_600
export const AUTHORIZATION_CODE_LIFETIME_SECONDS = 60
/** Since the token's last use. It never outlives the consent. */
export const REFRESH_TOKEN_LIFETIME_SECONDS = 30 * DAY
/** SQL interval after a refresh token's first use in which it can be reused until a successor is used. */
export const REFRESH_TOKEN_REUSE_INTERVAL = '1 day'
export const CONSENT_LIFETIME_SECONDS = 180 * DAY
/** Since the last sign-in or request of an app. */
export const SESSION_LIFETIME_SECONDS = 14 * DAY
/** Sessions without a sign-in only hold the secret of a form. */
export const ANONYMOUS_SESSION_LIFETIME_SECONDS = 3_600
export const INTERACTION_LIFETIME_SECONDS = 3_600
/** Time to enter the code on another device. */
export const DEVICE_CODE_LIFETIME_SECONDS = 600

/** Returns when an app with offline access loses it, and after how many days without use. */
export const offlineAccessLimits = (allowedAt: Date): { until: Date; maxIdleDays: number } => ({
  until: new Date(allowedAt.getTime() + CONSENT_LIFETIME_SECONDS * 1_000),
  maxIdleDays: REFRESH_TOKEN_LIFETIME_SECONDS / DAY,
})
