import type { FastifyInstance } from 'fastify'
import { getPreferences, savePreferences } from '../../../accounts/preferences/queries.ts'
import { fieldOf } from '../../../pages/form-field.ts'
import { preferencesView } from '../../views/account/preferences.ts'
import { redirectWithNotice } from './notices.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/preferences`: whether works for adults are shown, which takes the reader's word that they are one. */
export async function preferenceRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/preferences', GUARDED, async (request, reply) => {
    const preferences = await getPreferences(db, ownerOf(request).account.id)
    return sendAccountPage(request, reply, preferencesView(request.page, preferences))
  })

  app.post('/account/preferences', GUARDED, async (request, reply) => {
    const { id } = ownerOf(request).account
    const wishes = fieldOf(request, 'nsfw') === 'yes'
    const isOfAge = fieldOf(request, 'of_age') === 'yes'
    if (wishes && !isOfAge) {
      const { missingStatement } = request.page.messages.preferences
      const entered = { shows_nsfw: true, of_age_stated_at: null }
      return sendAccountPage(request, reply, preferencesView(request.page, entered, missingStatement), {
        status: 422,
      })
    }
    await savePreferences(db, id, wishes)
    return redirectWithNotice(reply, '/account/preferences', 'preferences_saved')
  })
}
