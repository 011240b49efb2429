import type { EntrySummary } from '../../../browse/summary.ts'
import type {
  EntryHistory,
  HistoryChange,
  HistoryRecord,
} from '../../../curation/edit/history-queries.ts'
import { isSiteId, pageUrlOf } from '../../../sources/external-ids.ts'
import { SOURCES } from '../../../sources/registry.ts'
import { shortDayElement } from '../../../ui/format-time.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { entryPath } from '../../components/entry-path.ts'
import { shownTitles } from '../../components/titles.ts'
import { langOf } from '../facts-view.ts'
import { partSection } from '../section.ts'

/** Renders where the data of an entry comes from, and when the entry changed. */
export function entryHistoryView(
  context: PageContext,
  entry: EntrySummary,
  { records, changes }: EntryHistory,
): View {
  const { entry: texts, reports } = context.messages
  const { type: kind, id } = entry
  const [main] = shownTitles(context, entry)
  const path = entryPath(kind, id)
  return {
    title: texts.history.titleOf({ title: main.text }),
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.history.title}</h1></div>
<p class="ways"><a href="${path}"${langOf(main.lang)}>${main.text}</a><a href="/report?entry=${path.slice(1)}" rel="nofollow">${reports.linkEntry}</a></p>
<p class="lead">${texts.history.lead}</p>
${
  records.length > 0 &&
  partSection(
    texts.history.sources,
    html`<ul class="plain-list rows">${records.map((record) => html`<li>${recordLine(context, kind, record)}</li>`)}</ul>`,
  )
}
${
  changes.length > 0 &&
  partSection(
    texts.history.changes,
    html`<ol class="plain-list rows">${changes.map((change) => html`<li>${shortDayElement(context, change.at)} · ${changeText(context, change)}</li>`)}</ol>`,
  )
}`,
  }
}

function recordLine(
  context: PageContext,
  kind: EntrySummary['type'],
  { source, external_id: external, imported_at: at, fields }: HistoryRecord,
): Html {
  const { history: texts } = context.messages.entry
  const when = html`<span class="quiet">${texts.changed} ${shortDayElement(context, at)}</span>`
  if (source === 'local')
    return html`${texts.byHand}: ${fields.map((field, index) => html`${index > 0 && ', '}<code>${field}</code>`)} ${when}`
  const name = `${SOURCES[source].label} ${external.replace(/^name:/, '')}`
  return html`${isSiteId(source, kind, external) ? html`<a href="${pageUrlOf(source, kind, external)}" rel="external noopener">${name}</a>` : name} ${when}`
}

const changeText = (
  { messages: { entry } }: PageContext,
  { is_removal: isRemoval, merged_id: merged }: HistoryChange,
): string =>
  merged !== null
    ? entry.history.merged({ id: String(merged) })
    : isRemoval
      ? entry.history.removed
      : entry.history.updated
