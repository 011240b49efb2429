import type { FastifyInstance } from 'fastify'
import { RESTORED_DRAFT_PATH, findOwnDraft } from '../../accounts/form-drafts.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html } from '../../ui/html.ts'
import { sendPage } from '../../ui/page/send-page.ts'
import { signInFirst } from '../../ui/forms/way-back.ts'
import { PAGE, type WebOptions } from '../options.ts'

/** Restores text to its form after a sign-in: automatically with scripts, otherwise with a button. */
export async function draftRoutes(app: FastifyInstance, { db }: WebOptions) {
  app.get(RESTORED_DRAFT_PATH, PAGE, async (request, reply) => {
    const { reader, messages, csrfField } = request.page
    if (!reader) return signInFirst(request, reply, RESTORED_DRAFT_PATH)
    const draft = await findOwnDraft(db, request)
    // Expired, restored already, or of another account.
    if (!draft) return reply.redirect('/account', 303)
    const { draft: words } = messages.forms
    return sendPage(request, reply, {
      title: words.title,
      scripts: ['/assets/submit.js'],
      head: { robots: 'noindex' },
      body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
<form method="post" action="${draft.path}" data-submit>
${csrfField()}${hiddenFields(draft.fields)}
<div class="actions"><button>${words.submit}</button></div>
</form>`,
    })
  })
}
