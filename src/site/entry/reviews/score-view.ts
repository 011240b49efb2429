import type { WorkKind } from '../../../catalog/kinds.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { toStatistics } from '../../../ratings/statistics/statistics-response.ts'
import { bar } from '../../components/bar.ts'
import { numberText } from '../../components/number-text.ts'
import { statusWords } from '../../library/record/mark-form.ts'
import { wordFor } from '../entry-words.ts'

export type Statistics = ReturnType<typeof toStatistics>

/** The score as a number, how it came about, and how far readers are. */
export function scoreView(
  { messages, language }: PageContext,
  kind: WorkKind,
  statistics: Statistics,
): Html {
  const { entry: words } = messages
  const {
    mean,
    total,
    distribution,
    statuses,
    sub_scores: parts,
    total_count: readers,
  } = statistics
  const most = Math.max(1, ...distribution.map(({ count }) => count))
  const rows = distribution
    .toReversed()
    .map(
      ({ score, count }) =>
        html`<tr><th scope="row">${score}</th><td>${bar(count / most)}</td><td class="number">${numberText(language, count)}</td></tr>`,
    )
  const known = Object.entries(parts).filter(([, { mean: value }]) => value !== null)
  return html`<div class="score-panel">
<div class="score-sum">${
    mean === null
      ? html`<p>${words.noScore}</p>`
      : html`<p><span class="score-big">${mean.toFixed(1)}</span> <span class="quiet">${words.scoreOf({ amount: total })}</span></p>`
  }${
    readers > 0 &&
    html`<ul class="plain-list statuses">${Object.entries(statuses)
      .filter(([, count]) => count > 0)
      .map(
        ([status, count]) =>
          html`<li><span>${wordFor(statusWords(messages, kind), status)}</span> <span class="number">${numberText(language, count)}</span></li>`,
      )}</ul>`
  }</div>
${total > 0 && html`<table class="histogram"><caption class="unseen">${words.histogram}</caption><thead class="unseen"><tr><th scope="col">${words.points}</th><td></td><th scope="col">${words.amount}</th></tr></thead><tbody>${rows}</tbody></table>`}
${
  known.length > 0 &&
  html`<dl class="sub-scores">${known.map(([name, { mean: value }]) => html`<div><dt>${wordFor(messages.library.fields, name)}</dt><dd>${bar((value ?? 0) / 10)}<span class="number">${value?.toFixed(1)}</span></dd></div>`)}</dl>`
}
</div>`
}
