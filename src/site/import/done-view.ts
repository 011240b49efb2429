import { html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { timeElement } from '../../ui/format-time.ts'
import type { StoredImport } from '../../ratings/lists/imports/stored-import-queries.ts'
import { ROW_OUTCOMES } from '../../ratings/lists/imports/outcome.ts'
import { formatNumber } from '../components/format-number.ts'
import { totalsList, IMPORT_PATH, stepPath, stepView } from './steps.ts'

/** Renders the last step: the result, with a button to undo the import. */
export function doneView(
  context: PageContext,
  { id, counts, undone, expires_at }: StoredImport,
): View {
  const { messages, language, csrfField } = context
  const { importPage: texts } = messages
  const count = (amount: number) => formatNumber(language, amount)
  const done = ROW_OUTCOMES.map(
    (outcome) => [outcome, counts?.[outcome.toLowerCase()] ?? 0] as const,
  )
  const written = (counts?.['created'] ?? 0) + (counts?.['updated'] ?? 0)
  return stepView(context, {
    step: 3,
    heading: undone ? texts.undoneTitle : texts.doneTitle,
    body: html`${
      undone &&
      html`<div class="notice success" role="status"><p>${texts.undone({ amount: undone.undone })}${undone.kept > 0 && ` ${texts.undoneKept({ amount: undone.kept })}`}</p></div>`
    }
${!undone && totalsList(done.filter(([, amount]) => amount > 0).map(([outcome, amount]) => [texts.outcomes[outcome], count(amount)]))}
<p class="go-on cluster"><a class="button" href="/library">${texts.toList}</a> <a class="button secondary" href="${IMPORT_PATH}">${texts.another}</a></p>
${
  !undone &&
  written > 0 &&
  html`<form method="post" action="${stepPath(id, 'undo')}" class="take-back divided"><p class="quiet">${texts.undoLead({ time: () => timeElement(context, expires_at) })}</p>${csrfField()}<button class="secondary">${texts.undoAll}</button></form>`
}`,
  })
}
