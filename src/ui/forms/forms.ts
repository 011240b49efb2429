import { html, type Html } from '../html.ts'

/** A form that the OpenID provider reads: its address, and its hidden fields. */
export type CarriedForm = { action: string; fields: Record<string, string> }

/** Its unseen fields, in order. */
export const hiddenFields = (fields: Record<string, string>): Html[] =>
  Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
