import type { ImportRun } from '../../curation/runs/list-queries.ts'
import type { ImportState } from '../../operations/database-health-queries.ts'
import { formatDay } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { deskTable, deskView, factList, timeText } from '../desk-view.ts'
import { recordKindText } from '../entries/entry-kind.ts'
import { textOfRemark } from '../../curation/remarks.ts'

/** Renders the list of imports, newest first. */
export function importListView(
  context: PageContext,
  { runs, states }: { runs: ImportRun[]; states: ImportState[] },
): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  return deskView(context, {
    part: 'imports',
    lead: texts.imports.lead,
    notice: failedUpdatesNotice(context, states),
    body: deskTable(
      context,
      [
        { text: columns.id },
        { text: columns.source },
        { text: columns.dump, isLong: true },
        { text: columns.began },
        { text: columns.ended },
        { text: columns.state },
        { text: texts.imports.remarks, isNumber: true },
      ],
      runs.map((run) => [
        html`<a href="/desk/imports/${run.id}">${run.id}</a>`,
        run.source,
        dumpText(context, run),
        timeText(context, run.began_at),
        timeText(context, run.ended_at),
        texts.imports.states[run.state],
        run.remarks.length,
      ]),
    ),
  })
}

const dumpText = (
  { language }: PageContext,
  { dump_name: name, dump_date: date }: ImportRun,
): string =>
  [name, date !== null && formatDay({ language }, new Date(date))].filter(Boolean).join(', ')

/** Renders a line for each source whose last update failed or was refused. */
export function failedUpdatesNotice(
  { messages }: PageContext,
  states: ImportState[],
): Html | undefined {
  const failed = states.filter(({ failed_run }) => failed_run !== null)
  if (failed.length === 0) return undefined
  const { updateFailed } = messages.desk.imports
  return html`<div class="notice stale" role="status">${failed.map(
    ({ source, failed_run }) =>
      html`<p>${updateFailed({ source, link: (inner) => html`<a href="/desk/imports/${failed_run}">${inner}</a>` })}</p>`,
  )}</div>`
}

/** Renders one import with its counts and remarks. */
export function importView(context: PageContext, run: ImportRun): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  return deskView(context, {
    part: 'imports',
    title: `${texts.parts.imports} ${run.id}`,
    body: html`${factList(context, [
      [columns.source, run.source],
      [columns.dump, dumpText(context, run)],
      [columns.began, timeText(context, run.began_at)],
      [columns.ended, timeText(context, run.ended_at)],
      [columns.state, texts.imports.states[run.state]],
    ])}
${run.error !== null && html`<h2>${texts.imports.error}</h2><p class="desk-text" lang="en">${run.error}</p>`}
<h2>${texts.imports.counts}</h2>${deskTable(
      context,
      [
        { text: columns.kind },
        { text: columns.created, isNumber: true },
        { text: columns.joined, isNumber: true },
        { text: columns.changed, isNumber: true },
        { text: columns.unchanged, isNumber: true },
        { text: columns.withdrawn, isNumber: true },
        { text: columns.returned, isNumber: true },
      ],
      run.kinds.map(({ kind, created, joined, changed, unchanged, withdrawn, returned }) => [
        recordKindText(context, kind),
        created,
        joined,
        changed,
        unchanged,
        withdrawn,
        returned,
      ]),
    )}
<h2>${texts.imports.remarks}</h2>${deskTable(
      context,
      [
        { text: texts.imports.remarks },
        { text: columns.amount, isNumber: true },
        { text: columns.example, isLong: true },
      ],
      run.remarks.map(({ count, example, ...remark }) => [
        textOfRemark(context.language, remark, (kind) => recordKindText(context, kind)),
        count,
        example,
      ]),
    )}`,
  })
}
