const PREFIX = 'personal-'

/**
 * Returns the client id under which requests with a user's personal access tokens are counted and recorded. Ids of
 * apps never have this form (`newClientId`).
 */
export const personalClientId = (accountId: number) => `${PREFIX}${accountId}`

/** Whether a client id stands for a user's personal access tokens. */
export const isPersonalClientId = (clientId: string) => clientId.startsWith(PREFIX)
