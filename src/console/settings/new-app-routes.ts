import type { FastifyInstance } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { originOf } from '../../audit/origin-of.ts'
import { enqueueRegistrationNotice } from '../../accounts/mail/registration-notice.ts'
import { applyChange, INITIAL_SETTINGS } from '../../apps/rules/app-rules.ts'
import { createOwnApp } from '../../apps/owner-queries.ts'
import { isToken } from '../../kernel/opaque-tokens.ts'
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../http/wire/errors/errors.ts'
import type { View } from '../../ui/page/page.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { redirectWithNotice } from '../../ui/page/notice.ts'
import { DRAFT_PAGE, PAGE } from '../../site/options.ts'
import {
  appChangeOf,
  type AppFields,
  appFieldsOf,
  type AppFormFaults,
  faultsByField,
  isAddingAddress,
  readAppForm,
} from './app-form.ts'
import {
  APP_KINDS,
  initialRedirectUris,
  isAppKind,
  needsRedirectUri,
  type AppKind,
} from './app-kinds.ts'
import { urisView, kindView, scopesView, secretView } from './new-app-view.ts'
import { appPath, type OwnedOptions, sendConsolePage } from '../options.ts'

/** Registers `/console/new`. Nothing is stored before the last step, whose response contains the secret. */
export function newAppRoutes(
  app: FastifyInstance,
  { db, accountOf, appsPerAccount, wakeOutbox }: OwnedOptions,
) {
  app.get('/console/new', PAGE, async (request, reply) => {
    const kind = queryParameterOf(request, 'kind')
    const view = isAppKind(kind)
      ? urisView(request.page, { kind, fields: firstFields(kind), faults: {} })
      : kindView(request.page)
    return sendConsolePage(request, reply, view)
  })

  app.post('/console/new', DRAFT_PAGE, async (request, reply) => {
    const { page } = request
    const show = (view: View, status = 200) => sendConsolePage(request, reply, view, { status })
    const kind = fieldOf(request, 'kind')
    if (!isAppKind(kind)) return show(kindView(page), 422)
    const fields = readAppForm(request)
    if (isAddingAddress(request)) return show(urisView(page, { kind, fields, faults: {} }))
    const change = { ...appChangeOf(fields), ...APP_KINDS[kind] }
    const outcome = applyChange(INITIAL_SETTINGS, change)
    const faults: AppFormFaults = {
      ...('faults' in outcome && faultsByField(page.language, fields, outcome.faults)),
      ...(needsRedirectUri(kind) &&
        change.redirect_uris?.length === 0 && { address_0: page.messages.console.addressNeeded }),
    }
    const written = { kind, fields, faults }
    const concernsScopes = (name: string) => name.startsWith('scope_')
    const isWrongBefore = Object.keys(faults).some((name) => !concernsScopes(name))
    const action = isRestored(request) ? '' : fieldOf(request, 'act')
    if (isWrongBefore) return show(urisView(page, written), 422)
    if (action === 'back') return show(urisView(page, written))
    if (fieldOf(request, 'step') !== 'scopes') {
      const suggested = fields.scopes.length > 0 ? fields.scopes : ['catalog:read']
      return show(scopesView(page, { ...written, fields: { ...fields, scopes: suggested } }))
    }
    if (Object.keys(faults).length > 0) return show(scopesView(page, written), 422)
    const formKey = fieldOf(request, 'form_key')
    if (action !== 'create' || !isToken(formKey)) return show(scopesView(page, written))
    try {
      const owner = accountOf(request)
      const from = originOf(request)
      const notify = (trx: Database) =>
        enqueueRegistrationNotice(trx, owner, { ...from, language: page.language })
      const created = await createOwnApp(db, owner, change, appsPerAccount, notify, from, formKey)
      if (!created.isNew)
        return await redirectWithNotice(reply, appPath(created.app), 'app_made_before')
      wakeOutbox()
      const title = page.messages.console.created
      return await show(secretView(page, created.app, { title, secret: created.secret }), 201)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'DEVELOPER_APP_LIMIT_EXCEEDED') throw error
      const tooMany = { client_name: page.messages.appFaults.tooManyApps({ most: appsPerAccount }) }
      return show(urisView(page, { ...written, faults: tooMany }), 422)
    }
  })
}

const firstFields = (kind: AppKind): AppFields => ({
  ...appFieldsOf(INITIAL_SETTINGS),
  redirect_uris: initialRedirectUris(kind),
})
