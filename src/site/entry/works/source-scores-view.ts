import type { SourceName } from '../../../sources/registry.ts'
import { SOURCES } from '../../../sources/registry.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { Statistics } from '../reviews/score-view.ts'

export type SourceScores = {
  source: SourceName
  score: number
  votes: number
  rank: number | null
}[]

/** Renders the scores at the sources, each with its origin. Returns undefined if no source has votes. */
export function sourceScoresView(
  { messages: { entry: texts } }: PageContext,
  scores: SourceScores,
): Html | undefined {
  if (scores.length === 0) return undefined
  return html`<ul class="source-scores quiet" aria-label="${texts.sourceScores}">${scores.map(
    ({ source, score, votes, rank }) =>
      html`<li>${SOURCES[source].label} <strong>${score.toFixed(1)}</strong> · ${texts.votes({ amount: votes })}${rank !== null && html` · ${texts.rank({ rank })}`}</li>`,
  )}</ul>`
}

/** Minimum number of users' scores whose mean is shown instead of a source's score. The weighted score of lists has the same bound. */
const MIN_SCORES = 5

/**
 * Renders the mean score of the users as a link. If only a few users have given a score, renders the score of the
 * source with the most votes.
 */
export function headScore(
  { browse, entry }: PageContext['messages'],
  path: string,
  { mean, total }: Statistics,
  sourceScores: SourceScores,
): Html | undefined {
  const [best] = sourceScores.toSorted((a, b) => b.votes - a.votes)
  const shown = best && total < MIN_SCORES && best.votes > total ? best : undefined
  if (mean === null && !shown) return undefined
  const score = (shown?.score ?? mean ?? 0).toFixed(1)
  const origin = shown
    ? `${SOURCES[shown.source].label} · ${entry.votes({ amount: shown.votes })}`
    : entry.scoreOf({ amount: total })
  return html`<p class="entry-score"><a href="${path}"><span class="score"><span class="unseen">${browse.score({ score })}</span><span aria-hidden="true">★ ${score}</span></span> <span class="quiet">${origin}</span></a></p>`
}
