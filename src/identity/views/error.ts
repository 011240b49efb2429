import { errorView, type ErrorViewData } from '../../ui/page/error-view.ts'
import { html } from '../../ui/html.ts'
import type { View } from '../../ui/page/page.ts'

export type AuthorizationErrorData = Omit<ErrorViewData, 'details'> & {
  /** What was wrong of the request, for the app's developer: its parameter's name and value. */
  received?: { name: string; value: string }
  /** The same in the words of the protocol. */
  technical?: string
}

/** What a reader sees when there is no app to send them back to. */
export const authorizationErrorView = ({
  received,
  technical,
  ...data
}: AuthorizationErrorData): View =>
  errorView({
    ...data,
    details: html`${
      received &&
      html`<p class="quiet">${data.messages.error.received({ name: received.name })} <code>${received.value}</code></p>`
    }${
      technical !== undefined &&
      html`<p class="quiet">${data.messages.error.forDevelopers} <code lang="en">${technical}</code></p>`
    }`,
  })
