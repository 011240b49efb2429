import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fieldOf } from '../../ui/forms/form-field.ts'
import {
  changedFields,
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../ui/forms/form-state.ts'
import { html, type Html } from '../../ui/html.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import {
  PROFILE_NAME_LENGTH,
  readProfileName,
  type NameFault,
} from '../../profiles/profile-name.ts'
import {
  getProfileSettings,
  PROFILE_PARTS,
  profilePath,
  saveProfileSettings,
  type NameConflict,
  type ProfileSettingsRow,
} from '../../profiles/queries.ts'
import {
  FAVORITES_PATH,
  favoritesForm,
  loadFavoritesForm,
  saveFavoritesForm,
  type FavoritesForm,
} from './favorites-form.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'

const PATH = '/library/profile'

type Settings = {
  accountId: number
  choice: ProfileSettingsRow
  /** Invalid name, shown again in the field. */
  written?: string
  fault?: NameFault | NameConflict
  /** Record of what the form showed when it was loaded. */
  loaded: Html
  /** Notice of a conflicting change. */
  conflict?: Html
  isSaved?: boolean
  /** Favorites that could not be saved, shown again. */
  favorites?: FavoritesForm
}

/** Serves the settings of the user's public profile. */
export async function profileSettingsPageRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  const accountOf = requireSignIn(app, db, PATH)

  app.get(PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const choice = await getProfileSettings(db, accountId)
    const isSaved = takeNotice(request, reply, ['public_page_saved']) !== undefined
    return show(request, reply, { accountId, choice, isSaved, loaded: loadedField(choice) })
  })

  app.post(PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const written = fieldOf(request, 'name').trim()
    const read = written === '' ? { name: null } : readProfileName(written)
    const choice = { ...readChoice(request), name: 'fault' in read ? null : read.name }
    try {
      const choiceOf = (stored: ProfileSettingsRow) => ({
        ...stored,
        ...changedFields(request, choice, stored),
      })
      const fault =
        'fault' in read ? read.fault : await saveProfileSettings(db, accountId, choiceOf)
      if (fault)
        return await show(request, reply, {
          accountId,
          choice,
          written,
          fault,
          loaded: sentLoadedField(request),
        })
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      const { profilePage: texts } = request.page.messages
      return show(request, reply, {
        accountId,
        choice: error.shown as ProfileSettingsRow, // as: the fields of the form
        loaded: loadedField(error.stored),
        conflict: conflictNotice(request.page.messages, error, (_name, value) => ({
          label: texts.name,
          value: typeof value === 'string' ? value : '',
        })),
      })
    }
    return redirectWithNotice(reply, PATH, 'public_page_saved')
  })

  app.post(FAVORITES_PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const favorites = await saveFavoritesForm(db, request, accountId)
    if (!favorites) return redirectWithNotice(reply, PATH, 'public_page_saved')
    const choice = await getProfileSettings(db, accountId)
    return show(request, reply, { accountId, choice, loaded: loadedField(choice), favorites })
  })

  async function show(request: FastifyRequest, reply: FastifyReply, settings: Settings) {
    const { accountId, favorites, fault, conflict } = settings
    const form = await loadFavoritesForm(db, request, accountId, favorites)
    const view = settingsView(request.page, settings, favoritesForm(request.page, form))
    const isRefused = fault !== undefined || favorites !== undefined
    return sendCatalogPage(request, reply, view, { status: isRefused ? 422 : conflict ? 409 : 200 })
  }
}

function readChoice(request: FastifyRequest): Omit<ProfileSettingsRow, 'name'> {
  const isTicked = (name: string) => fieldOf(request, name) === 'yes'
  return {
    is_shown: isTicked('is_shown'),
    may_be_found: isTicked('may_be_found'),
    shows_list: isTicked('list'),
    shows_statistics: isTicked('statistics'),
    shows_reviews: isTicked('reviews'),
    shows_collections: isTicked('collections'),
  }
}

function settingsView(
  context: PageContext,
  { accountId, choice, written, fault, isSaved, loaded, conflict }: Settings,
  favorites: Html,
): View {
  const { messages, csrfField, origin } = context
  const { profilePage: texts, library } = messages
  const path = profilePath({ account_id: accountId, name: choice.name })
  const box = (name: string, text: string, isTicked: boolean) =>
    html`<p class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${isTicked && html` checked`}><label for="${name}">${text}</label></p>`
  return {
    title: texts.settings,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="record"><h1>${texts.settings}</h1>
<p class="ways"><a href="/library">${library.back}</a></p>
${conflict}
<div class="beside">
${isSaved && html`<div class="notice success" role="status"><p>${texts.saved}</p></div>`}
<p class="lead">${texts.lead}</p>
${
  fault === undefined &&
  (choice.is_shown
    ? html`<div class="notice"><p>${texts.nowAt} <a href="${path}">${origin}${path}</a></p></div>`
    : html`<p class="quiet">${texts.notShown}</p>`)
}
</div>
<form method="post" action="${PATH}" class="record-form">${csrfField()}${loaded}
${box('is_shown', texts.shown, choice.is_shown)}
<p class="hint">${texts.shownHint}</p>
<fieldset><legend>${texts.shownParts}</legend>${PROFILE_PARTS.map((part) => box(part, texts.parts[part], choice[`shows_${part}`]))}</fieldset>
<div class="field"><label for="name">${texts.name}</label>
<p class="hint" id="name-hint">${texts.nameHint}</p>
<input id="name" name="name" value="${written ?? choice.name ?? ''}" maxlength="${2 * PROFILE_NAME_LENGTH.max}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="name-hint${fault !== undefined && ' name-error'}"${fault !== undefined && html` aria-invalid="true"`}>
${fault !== undefined && html`<p class="fault" id="name-error">${texts.faults[fault]}</p>`}</div>
${box('may_be_found', texts.mayBeFound, choice.may_be_found)}
<div class="actions"><button>${texts.save}</button></div>
</form>
${favorites}</div>`,
  }
}
