import { isPersonalClientId } from '../../apps/rules/personal-client.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { isScore, RATING_FIELDS, STATUSES, type RatingField } from '../../ratings/fields.ts'
import { PROGRESS_FIELDS, type ProgressField } from '../../ratings/progress/fields.ts'
import type { RatingHistoryRow } from '../../ratings/own/history-queries.ts'
import { formatShortDate, timeElement } from '../../ui/format-time.ts'
import { entryPath } from '../components/entry-path.ts'
import { formatScore } from '../components/format-number.ts'
import { pager } from '../components/pager.ts'
import { durationOf } from './statistics/format-duration.ts'
import { workTitles } from './library-view.ts'
import { statusLabels } from './rating/quick-rating.ts'
import { describeItems } from './rating/save-form.ts'

export type LibraryHistory = {
  entries: RatingHistoryRow[]
  /** Names of the apps in the history, keyed by client id. */
  apps: Map<string, string>
  page: number
  last: number
}

/** Renders the history of a user's list, newest first. */
export function libraryHistoryView(
  context: PageContext,
  { entries, apps, page, last }: LibraryHistory,
): View {
  const { messages } = context
  const { library: texts } = messages
  const lines = entries.map((entry) => {
    const [main] = workTitles(context, entry.work)
    const title = main?.text ?? `${messages.kinds[entry.kind]} ${entry.work_id}`
    const app =
      entry.client_id === null
        ? undefined
        : isPersonalClientId(entry.client_id)
          ? messages.accountTokens.inHistory
          : (apps.get(entry.client_id) ?? entry.client_id)
    return html`<li><p>${timeElement(context, entry.changed_at)} · ${texts.actions[entry.action]}${app !== undefined && html` <span class="quiet">${texts.by({ app })}</span>`}</p>
<p><a href="${entryPath(entry.kind, entry.work_id)}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a></p>
${entry.action !== 'DELETED' && html`<ul class="changes">${changeItems(context, { ...entry, isNew: entry.action === 'CREATED' })}</ul>`}</li>`
  })
  return {
    title: texts.history,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.history}</h1></div>
<p class="ways"><a href="/library">${texts.back}</a></p>
<p class="lead">${texts.historyLead}</p>
${entries.length === 0 ? html`<p class="empty">${texts.historyEmpty}</p>` : html`<ol class="own-history">${lines}</ol>`}
${pager(context, { page, last, pathOf: (number) => (number === 1 ? '/library/history' : `/library/history?page=${number}`) })}`,
  }
}

/** Renders the changes to a rating, one line per field. A new rating has no previous values. */
export function changeItems(
  { language, messages }: PageContext,
  { kind, fields, isNew }: Pick<RatingHistoryRow, 'kind' | 'fields'> & { isNew: boolean },
): Html[] {
  const { library: texts } = messages
  const names = statusLabels(messages, kind)
  const textOf = (field: RatingField | ProgressField, value: unknown): string => {
    if (value === null || value === '') return texts.nothing
    if (field === 'time_to_finish_minutes' || field === 'minutes')
      return durationOf(texts, Number(value))
    if (isScore(field)) return formatScore(Number(value))
    if (typeof value === 'string' && (field === 'started_on' || field === 'finished_on'))
      return formatShortDate(language, value)
    if (typeof value === 'boolean') return value ? texts.yes : texts.no
    if (Array.isArray(value)) return describeItems(value) || texts.nothing
    const status = STATUSES.find((item) => item === value)
    return status === undefined ? JSON.stringify(value) : names[status]
  }
  return [...RATING_FIELDS, ...PROGRESS_FIELDS].flatMap((field) => {
    const change = fields[field]
    if (!change) return []
    const become = isNew
      ? textOf(field, change.to)
      : `${textOf(field, change.from)} → ${textOf(field, change.to)}`
    const isText = field === 'rate_content' || field === 'private_note'
    const text = isText ? texts.wasChanged : become
    return [html`<li>${texts.fields[field]}: ${text}</li>`]
  })
}
