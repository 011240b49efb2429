/** Events that an endpoint can receive, in the order of the console. */
export const WEBHOOK_EVENTS = ['catalog.changed', 'record.changed', 'app.revoked'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Event that a developer sends to try an endpoint. */
export const TEST_EVENT = 'webhook.test'

/** Maximum number of endpoints of an app. */
export const MAX_ENDPOINTS = 5
