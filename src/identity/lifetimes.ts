const DAY = 86_400

/** Lifetimes (§3, §8, decision 0003). */

export const ACCESS_TOKEN_LIFETIME_SECONDS = 3_600
export const AUTHORIZATION_CODE_LIFETIME_SECONDS = 60
/** Counted from the token's last use. A refresh token never outlives the consent. */
export const REFRESH_TOKEN_LIFETIME_SECONDS = 30 * DAY
/**
 * SQL interval, from a refresh token's first use, during which the token can be reused unless a successor has been
 * used.
 */
export const REFRESH_TOKEN_REUSE_INTERVAL = '1 day'
export const CONSENT_LIFETIME_SECONDS = 180 * DAY
/** Counted from the last sign-in or the last request from an app. */
export const SESSION_LIFETIME_SECONDS = 14 * DAY
/** A session without a sign-in only holds a form's secret. */
export const ANONYMOUS_SESSION_LIFETIME_SECONDS = 3_600
export const INTERACTION_LIFETIME_SECONDS = 3_600
/** Time for the user to enter the code on another device. */
export const DEVICE_CODE_LIFETIME_SECONDS = 600

/** Returns when an app's offline access expires, and after how many days of inactivity it expires early. */
export const offlineAccessLimits = (allowedAt: Date): { until: Date; maxIdleDays: number } => ({
  until: new Date(allowedAt.getTime() + CONSENT_LIFETIME_SECONDS * 1_000),
  maxIdleDays: REFRESH_TOKEN_LIFETIME_SECONDS / DAY,
})
