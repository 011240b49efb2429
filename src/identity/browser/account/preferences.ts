import type { FastifyInstance } from 'fastify'
import { getPreferences, savePreferences } from '../../../accounts/preferences/queries.ts'
import { fieldOf } from '../../../pages/form-field.ts'
import { findLanguage } from '../../../pages/languages.ts'
import { keepReaderLanguage } from '../../../pages/page-context.ts'
import { timeZones } from '../../../pages/when.ts'
import { preferencesView } from '../../views/account/preferences.ts'
import { redirectWithNotice } from './notices.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/preferences`: language, clock, spoilers; and works for adults, which takes the reader's word that they are one. */
export async function preferenceRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/preferences', GUARDED, async (request, reply) => {
    const preferences = await getPreferences(db, ownerOf(request).account.id)
    return sendAccountPage(request, reply, preferencesView(request.page, preferences))
  })

  app.post('/account/preferences', GUARDED, async (request, reply) => {
    const { id } = ownerOf(request).account
    const wishesNsfw = fieldOf(request, 'nsfw') === 'yes'
    const isOfAge = fieldOf(request, 'of_age') === 'yes'
    const zone = fieldOf(request, 'time_zone')
    const view = {
      language: findLanguage(fieldOf(request, 'language')) ?? null,
      time_zone: timeZones().includes(zone) ? zone : null,
      shows_spoilers: fieldOf(request, 'spoilers') === 'yes',
    }
    if (wishesNsfw && !isOfAge) {
      const { missingStatement } = request.page.messages.preferences
      const entered = { ...view, shows_nsfw: true, of_age_stated_at: null }
      return sendAccountPage(request, reply, preferencesView(request.page, entered, missingStatement), {
        status: 422,
      })
    }
    await savePreferences(db, id, wishesNsfw, view)
    if (view.language !== null) keepReaderLanguage(reply, view.language)
    return redirectWithNotice(reply, '/account/preferences', 'preferences_saved')
  })
}
