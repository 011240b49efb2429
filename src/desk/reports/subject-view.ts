import { uploadPathIn } from '../../moderation/subject-queries.ts'
import type { SubjectKind } from '../../moderation/reasons.ts'
import { html, type Html } from '../../ui/html.ts'
import { portrait } from '../../ui/portrait.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

export type ShownSubject = {
  kind: SubjectKind
  subject: string
  place: string
  owner_id: number | null
  owner_name: string | null
}

/** Renders the owner, with a link for administrators. Moderators cannot open account pages. */
export function ownerLink(
  { viewer, messages }: PageContext,
  { owner_id: id, owner_name: name }: ShownSubject,
) {
  if (id === null) return html`<span class="quiet">${messages.desk.nobody}</span>`
  const text = name ?? String(id)
  return viewer?.role === 'ADMIN' ? html`<a href="/desk/accounts/${id}">${text}</a>` : html`${text}`
}

/**
 * Renders the reported or hidden subject under a heading: the text of a review, the URL of a source's picture, or the
 * owner of an uploaded one.
 */
export function subjectContent(
  context: PageContext,
  shown: ShownSubject,
  text: string | undefined,
): Html {
  const { desk: texts, reports } = context.messages
  const { kind, subject } = shown
  if (kind === 'REVIEW')
    return html`<h2>${texts.queue.text}</h2><blockquote class="desk-text">${text === undefined || text === '' ? texts.queue.gone : text}</blockquote>`
  const isOfSource = kind === 'PICTURE' && shown.owner_id === null
  const upload = uploadPathIn(subject)
  return html`<h2>${reports.kinds[kind]}</h2>${isOfSource ? html`<p class="desk-text"><code>${subject}</code></p>` : html`<p>${ownerLink(context, shown)}</p>`}${upload !== undefined && html`<p>${portrait({ name: shown.owner_name ?? '', picture: upload }, 'large')}</p>`}`
}
