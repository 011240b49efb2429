import type { WorkKind } from '../../../catalog/kinds.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { toStatistics } from '../../../ratings/statistics/statistics-response.ts'
import { bar } from '../../components/bar.ts'
import { formatNumber } from '../../components/format-number.ts'
import { statusLabels } from '../../library/rating/quick-rating.ts'
import { labelFor } from '../labels.ts'

export type Statistics = ReturnType<typeof toStatistics>

/** Renders the mean score, its distribution, and the number of users by status. */
export function scoreView(
  { messages, language }: PageContext,
  kind: WorkKind,
  statistics: Statistics,
): Html {
  const { entry: texts } = messages
  const {
    mean,
    total,
    distribution,
    statuses,
    sub_scores: parts,
    total_count: readers,
  } = statistics
  const max = Math.max(1, ...distribution.map(({ count }) => count))
  const rows = distribution
    .toReversed()
    .map(
      ({ score, count }) =>
        html`<tr><th scope="row">${score}</th><td>${bar(count / max)}</td><td class="number">${formatNumber(language, count)}</td></tr>`,
    )
  const known = Object.entries(parts).filter(([, { mean: value }]) => value !== null)
  return html`<div class="score-panel">
<div class="score-sum">${
    mean === null
      ? html`<p>${texts.noScore}</p>`
      : html`<p><span class="score-big">${mean.toFixed(1)}</span> <span class="quiet">${texts.scoreOf({ amount: total })}</span></p>`
  }${
    readers > 0 &&
    html`<ul class="plain-list statuses">${Object.entries(statuses)
      .filter(([, count]) => count > 0)
      .map(
        ([status, count]) =>
          html`<li><span>${labelFor(statusLabels(messages, kind), status)}</span> <span class="number">${formatNumber(language, count)}</span></li>`,
      )}</ul>`
  }</div>
${total > 0 && html`<table class="histogram"><caption class="unseen">${texts.histogram}</caption><thead class="unseen"><tr><th scope="col">${texts.points}</th><td></td><th scope="col">${texts.amount}</th></tr></thead><tbody>${rows}</tbody></table>`}
${
  known.length > 0 &&
  html`<dl class="sub-scores">${known.map(([name, { mean: value }]) => html`<div><dt>${labelFor(messages.library.fields, name)}</dt><dd>${bar((value ?? 0) / 10)}<span class="number">${value?.toFixed(1)}</span></dd></div>`)}</dl>`
}
</div>`
}
