import type { EntrySummary } from '../../browse/summary.ts'
import { dayElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { EntryNotes } from './card.ts'
import { entryPath } from './entry-path.ts'
import { formatNumber } from './format-number.ts'
import { shownTitles } from './titles.ts'

/** Renders entries as a table with both titles and numbers. */
export function entryTable(
  context: PageContext,
  entries: EntrySummary[],
  { isOfWorks, notes }: { isOfWorks: boolean; notes?: EntryNotes | undefined },
): Html {
  const { messages, language } = context
  const { columns, statuses } = messages.browse
  const rows = entries.map((entry) => {
    const [main, other] = shownTitles(context, entry)
    const status =
      entry.status === null ? undefined : new Map(Object.entries(statuses)).get(entry.status)
    return html`<tr>
<td><a href="${entryPath(entry.type, entry.id)}"${langOf(main.lang)}>${main.text}</a>${entry.nsfw && html` <span class="adult" title="${messages.browse.adults}">${messages.browse.adultsMark}</span>`}${other && html`<span class="quiet other"${langOf(other.lang)}>${other.text}</span>`}${notes && html`<span class="quiet other">${notes.get(entry.id)}</span>`}</td>
${
  isOfWorks &&
  html`<td data-label="${columns.date}">${entry.release_date !== null && dayElement(language, entry.release_date)}</td>
<td data-label="${messages.browse.status}">${status}</td>
<td data-label="${columns.score}" class="number">${entry.weighted_score?.toFixed(1)}</td>`
}
<td data-label="${columns.readers}" class="number">${formatNumber(language, entry.readers)}</td>
</tr>`
  })
  return html`<table class="cards entries"><thead><tr><th scope="col">${isOfWorks ? columns.title : columns.name}</th>${
    isOfWorks &&
    html`<th scope="col">${columns.date}</th><th scope="col">${messages.browse.status}</th><th scope="col" class="number">${columns.score}</th>`
  }<th scope="col" class="number">${columns.readers}</th></tr></thead><tbody>
${rows}
</tbody></table>`
}

const langOf = (lang: string | undefined) => lang !== undefined && html` lang="${lang}"`
