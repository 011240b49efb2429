import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'

export const IMPORT_PATH = '/library/import'
export const stepPath = (
  id: string,
  step: 'works' | 'changes' | 'done' | 'undo' | 'forget' | 'take-over',
) => `${IMPORT_PATH}/${id}/${step}`

/**
 * Renders a page of the import with its position among the four steps.
 *
 * @param step index of the step, starting at 0
 */
export function stepView(
  { messages }: PageContext,
  { step, heading, body }: { step: number; heading: string; body: Html },
): View {
  const { importPage: texts, library } = messages
  return {
    title: `${texts.title}: ${texts.steps[step] ?? ''}`,
    head: { robots: 'noindex' },
    styles: ['import.css'],
    body: html`<div class="import"><p class="ways"><a href="/library">${library.back}</a></p>
<ol class="steps" aria-label="${texts.stepOf({ step: String(step + 1) })}">${texts.steps.map(
      (name, index) =>
        html`<li${index === step && html` aria-current="step"`}${index < step && html` class="is-over"`}><span class="number" aria-hidden="true">${index < step ? '✓' : index + 1}</span>${name}</li>`,
    )}</ol>
<h1>${heading}</h1>
${body}</div>`,
  }
}

/** Renders labeled totals. */
export const totalsList = (lines: readonly (readonly [label: string, amount: string])[]): Html =>
  html`<dl class="sums cluster">${lines.map(([label, amount]) => html`<div><dt>${label}</dt><dd>${amount}</dd></div>`)}</dl>`
