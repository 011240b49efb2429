import type { SourceName } from '../../../sources/registry.ts'
import { SOURCES } from '../../../sources/registry.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'

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
