import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { originOf } from '../../audit/origin-of.ts'
import { applyChange } from '../../apps/rules/app-rules.ts'
import { uploadOwnLogo } from '../../apps/logo-queries.ts'
import { deleteOwnApp, updateOwnApp } from '../../apps/owner-queries.ts'
import type { App } from '../../apps/queries.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import {
  changedFields,
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../ui/forms/form-state.ts'
import { statusOfFault } from '../../uploads/encode-upload.ts'
import { acceptUploadForms, readUpload } from '../../uploads/read-upload.ts'
import { DRAFT_PAGE, PAGE } from '../../site/options.ts'
import {
  appChangeOf,
  faultsByField,
  isAddingAddress,
  appFieldsOf,
  readAppForm,
  type AppFormFaults,
} from './app-form.ts'
import { sectionPath } from '../app-frame.ts'
import { checkPassword } from '../confirm-password.ts'
import { type AppRoute, ownAppOf, type OwnedOptions, sendConsolePage } from '../options.ts'
import { settingsView, type SettingsData } from './settings-view.ts'

const PATH = '/console/apps/:client_id/settings'

/** Registers the pages that change an app's settings and logo, or delete it. */
export async function appSettingsRoutes(app: FastifyInstance, options: OwnedOptions) {
  const { db, accountOf } = options

  app.get<AppRoute>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const notice = takeNotice(request, reply, ['app_saved']) && request.page.messages.console.saved
    const view = settingsView(request.page, own, { fields: appFieldsOf(own), faults: {}, notice })
    return sendConsolePage(request, reply, view)
  })

  app.post<AppRoute>(PATH, DRAFT_PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const fields = readAppForm(request)
    const change = appChangeOf(fields)
    const loaded = sentLoadedField(request)
    if (isRestored(request) || isAddingAddress(request))
      return show(request, reply, own, { fields, faults: {}, loaded }, 200)
    const outcome = applyChange(own, change)
    if ('faults' in outcome)
      return show(request, reply, own, {
        fields,
        faults: faultsByField(request.page.language, fields, outcome.faults),
        loaded,
      })
    try {
      const changeOf = (stored: App) =>
        changedFields(request, change, appChangeOf(appFieldsOf(stored)))
      await updateOwnApp(db, accountOf(request), own.client_id, changeOf, originOf(request))
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      const shown = appFieldsOf({ ...own, ...error.shown })
      const conflict = conflictNotice(request.page.messages, error, describeField(request))
      return show(
        request,
        reply,
        own,
        { fields: shown, faults: {}, loaded: loadedField(error.stored), conflict },
        409,
      )
    }
    return redirectWithNotice(reply, sectionPath(own, 'settings'), 'app_saved')
  })

  app.post<AppRoute>(`${PATH}/enabled`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const change = { enabled: fieldOf(request, 'enabled') === 'yes' }
    const outcome = applyChange(own, change)
    if ('faults' in outcome) {
      const faults = faultsByField(request.page.language, appFieldsOf(own), outcome.faults)
      return show(request, reply, own, { fields: appFieldsOf(own), faults })
    }
    await updateOwnApp(db, accountOf(request), own.client_id, change, originOf(request))
    return redirectWithNotice(reply, sectionPath(own, 'settings'), 'app_saved')
  })

  app.post<AppRoute>(`${PATH}/delete`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const faults: AppFormFaults = {}
    if (fieldOf(request, 'confirmation').trim() !== own.client_name)
      faults['confirmation'] = request.page.messages.console.nameDiffers
    const refused = await checkPassword(options, request, reply)
    if (refused) faults['current_password'] = refused.error
    if (Object.keys(faults).length > 0)
      return show(request, reply, own, { fields: appFieldsOf(own), faults }, refused?.status)
    await deleteOwnApp(db, accountOf(request), own.client_id, originOf(request))
    return redirectWithNotice(reply, '/console', 'app_deleted')
  })

  app.post<AppRoute>(`${PATH}/logo/remove`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    await updateOwnApp(db, accountOf(request), own.client_id, { logo: null }, originOf(request))
    return redirectWithNotice(reply, sectionPath(own, 'settings'), 'app_saved')
  })

  await app.register(async (scope) => {
    acceptUploadForms(scope)
    scope.post<AppRoute>(`${PATH}/logo`, PAGE, async (request, reply) => {
      const own = await ownAppOf(options, request)
      const outcome = await uploadOwnLogo(
        db,
        accountOf(request),
        own.client_id,
        readUpload(request),
        originOf(request),
        options.uploadBucket,
      )
      if (!('fault' in outcome))
        return redirectWithNotice(reply, sectionPath(own, 'settings'), 'app_saved')
      const faults = { logo: request.page.messages.uploadFaults[outcome.fault] }
      return show(
        request,
        reply,
        own,
        { fields: appFieldsOf(own), faults },
        statusOfFault(outcome.fault),
      )
    })
  })
}

const show = (
  request: FastifyRequest,
  reply: FastifyReply,
  own: App,
  data: Omit<SettingsData, 'notice'>,
  status = 422,
) => sendConsolePage(request, reply, settingsView(request.page, own, data), { status })

/** Returns the label and value of a field for a conflict notice. */
const describeField =
  ({ page }: FastifyRequest) =>
  (name: string, value: unknown) => {
    const { console: texts } = page.messages
    const labels: Record<string, string> = {
      client_name: texts.name,
      client_uri: texts.homepage,
      privacy_uri: texts.privacy,
      terms_uri: texts.terms,
      redirect_uris: texts.addresses,
      scopes: texts.scopes,
      required_scopes: texts.needed,
    }
    return {
      label: labels[name] ?? name,
      value: typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : '',
    }
  }
