/**
 * SQL interval after which an access token has expired: its lifetime of one hour (§8) plus five minutes of clock skew.
 */
export const ACCESS_TOKEN_EXPIRY = '65 minutes'
