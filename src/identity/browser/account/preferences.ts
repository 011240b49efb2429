import type { FastifyInstance } from 'fastify'
import { lockAccount } from '../../../accounts/ban-queries.ts'
import {
  getPreferences,
  savePreferences,
  type Preferences,
} from '../../../accounts/preferences/queries.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { fieldOf } from '../../../ui/forms/form-field.ts'
import {
  changedFields,
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../../ui/forms/form-state.ts'
import { findLanguage, LANGUAGE_FACTS, LANGUAGES } from '../../../i18n/languages.ts'
import type { Messages } from '../../../ui/messages.ts'
import { storeAccountLanguage } from '../../../ui/page/page-context.ts'
import { findTitlePreference } from '../../../ui/title-preference.ts'
import { listTimeZones } from '../../../ui/format-time.ts'
import { preferencesView, type PreferenceFaults } from '../../views/account/preferences.ts'
import {
  ACCOUNT_PAGE,
  redirectWithAccountNotice,
  sendAccountPage,
  type AccountOptions,
} from './account-page.ts'

/** `/account/preferences`: language, time zone, spoilers and adult content, which requires users to state their age. */
export async function preferenceRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/preferences', ACCOUNT_PAGE, async (request, reply) => {
    const preferences = await getPreferences(db, ownerOf(request).account.id)
    const data = { preferences, loaded: loadedField(valuesOf(preferences)) }
    return sendAccountPage(request, reply, preferencesView(request.page, data))
  })

  app.post('/account/preferences', ACCOUNT_PAGE, async (request, reply) => {
    const { id } = ownerOf(request).account
    const wantsNsfw = fieldOf(request, 'nsfw') === 'yes'
    const isOfAge = fieldOf(request, 'of_age') === 'yes'
    const { missingStatement, unknownChoice } = request.page.messages.preferences
    const [language, zone] = [fieldOf(request, 'language'), fieldOf(request, 'time_zone')]
    const titles = fieldOf(request, 'titles')
    const view = {
      language: findLanguage(language) ?? null,
      time_zone: listTimeZones().includes(zone) ? zone : null,
      shows_spoilers: fieldOf(request, 'spoilers') === 'yes',
      title_preference: findTitlePreference(titles) ?? 'translated',
    }
    const faults: PreferenceFaults = {
      ...(language !== '' && view.language === null && { language: unknownChoice }),
      ...(zone !== '' && view.time_zone === null && { time_zone: unknownChoice }),
      ...(titles !== '' && !findTitlePreference(titles) && { titles: unknownChoice }),
      ...(wantsNsfw && !isOfAge && { of_age: missingStatement }),
    }
    if (Object.keys(faults).length > 0) {
      const { of_age_stated_at: stated } = await getPreferences(db, id)
      const entered = { ...view, shows_nsfw: wantsNsfw, of_age_stated_at: isOfAge ? stated : null }
      const data = { preferences: entered, faults, loaded: sentLoadedField(request) }
      return sendAccountPage(request, reply, preferencesView(request.page, data), 422)
    }
    try {
      await inTransaction(db, async (trx) => {
        await lockAccount(trx, id)
        const stored = valuesOf(await getPreferences(trx, id))
        // A form without the field keeps the choice.
        const choice = titles === '' ? stored : view
        const sent = { ...view, title_preference: choice.title_preference, shows_nsfw: wantsNsfw }
        const { shows_nsfw: showsNsfw, ...rest } = {
          ...stored,
          ...changedFields(request, sent, stored),
        }
        await savePreferences(trx, id, showsNsfw, rest)
      })
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      const preferences = { ...(await getPreferences(db, id)), ...error.shown }
      const { messages } = request.page
      const conflict = conflictNotice(messages, error, describeField(messages))
      const data = { preferences, loaded: loadedField(error.stored), conflict }
      return sendAccountPage(request, reply, preferencesView(request.page, data), 409)
    }
    if (view.language !== null) storeAccountLanguage(reply, view.language)
    return redirectWithAccountNotice(reply, '/account/preferences', 'preferences_saved')
  })
}

/** Preferences that the form edits: all except the time at which the user stated their age. */
const valuesOf = ({ of_age_stated_at: _stated, ...values }: Preferences) => values

const describeField =
  ({ preferences: texts, layout }: Messages) =>
  (name: string, value: unknown) => {
    const titles = findTitlePreference(value)
    if (name === 'title_preference' && titles)
      return { label: layout.titles, value: layout.titleChoices[titles] }
    const language = LANGUAGES.find((item) => item === value)
    const text = language === undefined ? value : LANGUAGE_FACTS[language].name
    return {
      label: name === 'language' ? texts.language : texts.timeZone,
      value: typeof text === 'string' ? text : texts.asBrowser,
    }
  }
