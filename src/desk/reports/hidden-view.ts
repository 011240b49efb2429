import type { Takedown } from '../../moderation/takedown-queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { placeLink, type PlaceTitles } from '../../site/components/place-titles.ts'
import { actionForm, deskTable, deskView, factList, timeText } from '../desk-view.ts'
import { ownerLink, subjectContent } from './subject-view.ts'

const stateOf = ({ messages }: PageContext, takedown: Takedown): string => {
  const { hidden: texts } = messages.desk
  if (takedown.restored_at) return texts.again
  return takedown.appealed_at && !takedown.appeal_decided_at ? texts.appealed : texts.now
}

/**
 * Renders the list of hidden content, newest first.
 *
 * @param next ID after which the next page starts
 */
export function hiddenListView(
  context: PageContext,
  {
    takedowns,
    titles,
    next,
  }: { takedowns: Takedown[]; titles: PlaceTitles; next: number | undefined },
): View {
  const { desk: texts, reports: reportWords } = context.messages
  const { columns } = texts
  return deskView(context, {
    part: 'hidden',
    body: html`${deskTable(
      context,
      [
        { text: columns.what },
        { text: columns.where },
        { text: columns.owner },
        { text: columns.reasons },
        { text: columns.by },
        { text: columns.state },
        { text: columns.at },
      ],
      takedowns.map((takedown) => [
        html`<a href="/desk/hidden/${takedown.id}">${reportWords.kinds[takedown.kind]}</a>`,
        placeLink(context, takedown.place, titles, { isHidden: true }),
        ownerLink(context, takedown),
        reportWords.reasons[takedown.reason],
        takedown.hidden_by_name ?? texts.nobody,
        stateOf(context, takedown),
        timeText(context, takedown.hidden_at),
      ]),
    )}${next !== undefined && html`<p><a href="/desk/hidden?before=${next}">${texts.more}</a></p>`}`,
  })
}

type HiddenData = {
  takedown: Takedown
  text: string | undefined
  titles: PlaceTitles
  isAppealed: boolean
  /** Whether the viewer may decide the appeal. */
  mayDecide: boolean
  notice: Html | undefined
}

/** Renders one takedown with its reason and the owner's appeal. */
export function hiddenView(
  context: PageContext,
  { takedown, text, titles, isAppealed, mayDecide, notice }: HiddenData,
): View {
  const { desk: texts, reports: reportWords } = context.messages
  const { columns } = texts
  const canDecide = !takedown.restored_at
  const path = `/desk/hidden/${takedown.id}`
  return deskView(context, {
    part: 'hidden',
    title: `${reportWords.kinds[takedown.kind]} · ${stateOf(context, takedown)}`,
    notice,
    body: html`${factList(context, [
      [columns.where, placeLink(context, takedown.place, titles, { isHidden: true })],
      [columns.owner, ownerLink(context, takedown)],
      [columns.reasons, reportWords.reasons[takedown.reason]],
      [columns.note, takedown.note],
      [columns.by, takedown.hidden_by_name ?? texts.nobody],
      [columns.at, timeText(context, takedown.hidden_at)],
    ])}
${subjectContent(context, takedown, text)}
${
  takedown.appeal !== null &&
  html`<h2>${texts.hidden.appealed}</h2><blockquote class="desk-text">${takedown.appeal}</blockquote>${
    takedown.appeal_answer !== null && html`<p>${reportWords.reply}: ${takedown.appeal_answer}</p>`
  }`
}
${isAppealed && !mayDecide && html`<p class="notice">${texts.hidden.notYou}</p>`}
<div class="acts tiles">${
      canDecide &&
      actionForm(context, {
        action: `${path}/restore`,
        title: texts.hidden.restore,
        button: texts.hidden.restore,
      })
    }${
      canDecide &&
      isAppealed &&
      mayDecide &&
      actionForm(context, {
        action: `${path}/reject`,
        title: texts.hidden.reject,
        button: texts.hidden.reject,
        reason: texts.hidden.reply,
      })
    }</div>`,
  })
}
