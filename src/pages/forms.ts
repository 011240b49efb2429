import { html, type Html } from './html.ts'

/** A form that somebody else reads: where it goes, and what it carries unseen. */
export type CarriedForm = { action: string; fields: Record<string, string> }

/** Its unseen fields, in order. */
export const hiddenFields = (fields: Record<string, string>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
