import { html, type Html } from '../../../ui/html.ts'

/** Renders a field of a rating's form with its label, hint and error. */
export function ratingField(
  name: string,
  label: string,
  fault: string | undefined,
  hint: string | undefined,
  control: (described: Html) => Html,
): Html {
  const notes = [
    hint !== undefined && `${name}-hint`,
    fault !== undefined && `${name}-error`,
  ].filter(Boolean)
  const described = html`${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}${fault !== undefined && html` aria-invalid="true"`}`
  return html`<div class="field"><label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${control(described)}
${fault !== undefined && html`<p class="fault" id="${name}-error">${fault}</p>`}</div>`
}
