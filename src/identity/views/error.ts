import { errorView, type ErrorViewData } from '../../pages/error-view.ts'
import { html } from '../../pages/html.ts'
import type { View } from '../../pages/page.ts'

export type AuthorizationErrorData = Omit<ErrorViewData, 'details'> & {
  /** What was wrong of the request, for the app's developer: its parameter's name and value. */
  received?: { name: string; value: string }
}

/** What a reader sees when there is no app to send them back to. */
export const authorizationErrorView = ({ received, ...data }: AuthorizationErrorData): View =>
  errorView({
    ...data,
    details:
      received && html`<p>${data.messages.error.received(received.name)} <code>${received.value}</code></p>`,
  })
