import { html, type Html } from '../html.ts'

/** Form that the OpenID provider reads: its URL and hidden fields. */
export type ProviderForm = { action: string; fields: Record<string, string> }

export const hiddenFields = (fields: Record<string, string | string[]>): Html[] =>
  Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  )
