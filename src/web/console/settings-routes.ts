import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../../audit/origin-of.ts'
import { applyChange } from '../../apps/app-rules.ts'
import { uploadOwnLogo } from '../../apps/logo-queries.ts'
import { deleteOwnApp, updateOwnApp } from '../../apps/owner-queries.ts'
import type { App } from '../../apps/queries.ts'
import { isTickable } from '../../apps/scopes.ts'
import { fieldOf, parameterOf } from '../../pages/form-field.ts'
import { takeUploadForms, uploadOf } from '../../uploads/read-upload.ts'
import { PAGE } from '../options.ts'
import { appChangeOf, faultsByField, readAppForm, type AppFields, type AppFormFaults } from './app-form.ts'
import { sectionPath } from './app-frame.ts'
import { refusedPassword } from './confirm-password.ts'
import { sendConsolePage, type OfApp, type OwnedOptions } from './options.ts'
import { ownAppOf } from './own-app.ts'
import { settingsView } from './settings-view.ts'

const PATH = '/console/apps/:client_id/settings'

/** What is said of an app, its picture, and its end. */
export async function appSettingsRoutes(app: FastifyInstance, options: OwnedOptions) {
  const { db, accountOf } = options

  app.get<OfApp>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const notice = parameterOf(request, 'saved') === '' ? undefined : request.page.messages.console.saved
    const view = settingsView(request.page, own, { fields: fieldsOf(own), faults: {}, notice })
    return sendConsolePage(request, reply, view)
  })

  app.post<OfApp>(PATH, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const fields = readAppForm(request)
    const change = appChangeOf(fields)
    const outcome = applyChange(own, change)
    if ('faults' in outcome)
      return show(request, reply, own, {
        fields,
        faults: faultsByField(request.page.messages, fields, outcome.faults),
      })
    await updateOwnApp(db, accountOf(request), own.client_id, change, originOf(request))
    return reply.redirect(`${sectionPath(own, 'settings')}?saved=yes`, 303)
  })

  app.post<OfApp>(`${PATH}/enabled`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const change = { enabled: fieldOf(request, 'enabled') === 'yes' }
    const outcome = applyChange(own, change)
    if ('faults' in outcome) {
      const faults = faultsByField(request.page.messages, fieldsOf(own), outcome.faults)
      return show(request, reply, own, { fields: fieldsOf(own), faults })
    }
    await updateOwnApp(db, accountOf(request), own.client_id, change, originOf(request))
    return reply.redirect(`${sectionPath(own, 'settings')}?saved=yes`, 303)
  })

  app.post<OfApp>(`${PATH}/delete`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    const faults: AppFormFaults = {}
    if (fieldOf(request, 'confirmation').trim() !== own.client_name)
      faults['confirmation'] = request.page.messages.console.nameDiffers
    const refused = await refusedPassword(options, request, reply)
    if (refused) faults['current_password'] = refused.error
    if (Object.keys(faults).length > 0)
      return show(request, reply, own, { fields: fieldsOf(own), faults }, refused?.status)
    await deleteOwnApp(db, accountOf(request), own.client_id, originOf(request))
    return reply.redirect(`/console?deleted=${encodeURIComponent(own.client_name)}`, 303)
  })

  app.post<OfApp>(`${PATH}/logo/remove`, PAGE, async (request, reply) => {
    const own = await ownAppOf(options, request)
    await updateOwnApp(db, accountOf(request), own.client_id, { logo: null }, originOf(request))
    return reply.redirect(`${sectionPath(own, 'settings')}?saved=yes`, 303)
  })

  await app.register(async (scope) => {
    takeUploadForms(scope)
    scope.post<OfApp>(`${PATH}/logo`, PAGE, async (request, reply) => {
      const own = await ownAppOf(options, request)
      const outcome = await uploadOwnLogo(
        db,
        accountOf(request),
        own.client_id,
        uploadOf(request),
        originOf(request),
      )
      if (!('fault' in outcome)) return reply.redirect(`${sectionPath(own, 'settings')}?saved=yes`, 303)
      const faults = { logo: request.page.messages.uploadFaults[outcome.fault] }
      return show(request, reply, own, { fields: fieldsOf(own), faults })
    })
  })
}

const show = (
  request: FastifyRequest,
  reply: FastifyReply,
  own: App,
  data: { fields: AppFields; faults: AppFormFaults },
  status = 422,
) => sendConsolePage(request, reply, settingsView(request.page, own, data), { status })

const fieldsOf = (app: App): AppFields => ({
  client_name: app.client_name,
  client_uri: app.client_uri ?? '',
  privacy_uri: app.privacy_uri ?? '',
  terms_uri: app.terms_uri ?? '',
  redirect_uris: app.redirect_uris,
  scopes: app.scopes.filter(isTickable),
  required: app.required_scopes,
})
