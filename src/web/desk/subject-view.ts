import type { SubjectKind } from '../../moderation/reasons.ts'
import { html, type Html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'

export type ShownSubject = {
  kind: SubjectKind
  subject: string
  place: string
  owner_id: number | null
  owner_name: string | null
}

/** Whose it is; a moderator does not see accounts. */
export function ownerLink(
  { reader, messages }: PageContext,
  { owner_id: id, owner_name: name }: ShownSubject,
) {
  if (id === null) return html`<span class="quiet">${messages.desk.nobody}</span>`
  const text = name ?? String(id)
  return reader?.role === 'ADMIN' ? html`<a href="/desk/accounts/${id}">${text}</a>` : html`${text}`
}

/** What it is, as a moderator has to see it to decide. */
export function subjectContent(
  { messages }: PageContext,
  { kind, subject }: ShownSubject,
  text: string | undefined,
): Html {
  if (kind === 'REVIEW')
    return html`<blockquote class="desk-text">${text === undefined || text === '' ? messages.desk.queue.gone : text}</blockquote>`
  return html`<p class="desk-text"><code>${subject}</code></p>`
}
