import type { FastifyInstance } from 'fastify'
import { RESTORED_DRAFT_PATH, findOwnDraft } from '../../accounts/form-drafts.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html } from '../../ui/html.ts'
import { sendPage } from '../../ui/page/send-page.ts'
import { redirectToSignIn } from '../../ui/forms/return-path.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'

/**
 * Restores text to its form after a sign-in: automatically with scripts, otherwise with a button.
 */
export async function draftRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get(RESTORED_DRAFT_PATH, PAGE, async (request, reply) => {
    const { viewer, messages, csrfField } = request.page
    if (!viewer) return redirectToSignIn(request, reply, RESTORED_DRAFT_PATH)
    const draft = await findOwnDraft(db, request)
    // The draft has expired, has already been restored, or belongs to another account.
    if (!draft) return reply.redirect('/account', 303)
    const { draft: texts } = messages.forms
    return sendPage(request, reply, {
      title: texts.title,
      scripts: ['/assets/submit.js'],
      head: { robots: 'noindex' },
      body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
<form method="post" action="${draft.path}" data-submit>
${csrfField()}${hiddenFields(draft.fields)}
<div class="actions"><button>${texts.submit}</button></div>
</form>`,
    })
  })
}
