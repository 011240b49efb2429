import { errorView, type ErrorViewData } from '../../ui/page/error-view.ts'
import { html } from '../../ui/html.ts'
import type { View } from '../../ui/page/page.ts'

export type AuthorizationErrorData = Omit<ErrorViewData, 'details'> & {
  /** Name and value of the invalid parameter, for the app's developer. */
  received?: { name: string; value: string }
  /** Protocol error, for the app's developer. */
  technical?: string
}

/** Error page for a request that cannot be redirected to an app. */
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
