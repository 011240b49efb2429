import { html, type Html } from '../../pages/html.ts'

export type FieldData = {
  /** Of what is sent; also its id. */
  name: string
  label: string
  /** Of the input, as HTML knows them; `text` when missing. */
  type?: 'text' | 'email' | 'password'
  /** What was typed before; of a password nothing is ever sent back. */
  value?: string
  hint?: string
  /** What is wrong with what was typed. */
  error?: string | undefined
  autocomplete: string
  /** Whether to begin here. */
  autofocus?: boolean
}

/** A labelled line to type into; its hint and its error are read out with it. */
export function field({ name, label, type = 'text', value = '', hint, error, ...more }: FieldData): Html {
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`].filter(
    Boolean,
  )
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type}"${type !== 'password' && html` value="${value}"`} required
  autocomplete="${more.autocomplete}"${type !== 'text' && html` autocapitalize="off" spellcheck="false"`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }${error !== undefined && html` aria-invalid="true"`}${more.autofocus === true && html` autofocus`}>
${error !== undefined && html`<p class="fault" id="${name}-error">${error}</p>`}
</div>`
}
