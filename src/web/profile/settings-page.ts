import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fieldOf, parameterOf } from '../../pages/form-field.ts'
import { html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page-context.ts'
import type { View } from '../../pages/page.ts'
import { PROFILE_NAME_LENGTH, readProfileName, type NameFault } from '../../profiles/profile-name.ts'
import {
  getProfileChoice,
  PROFILE_PARTS,
  profileAddress,
  saveProfileChoice,
  type ChoiceFault,
  type ProfileChoice,
} from '../../profiles/queries.ts'
import { admitReaders } from '../admit-readers.ts'
import { PAGE, type WebOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'

const PATH = '/library/profile'

type Settings = {
  accountId: number
  choice: ProfileChoice
  /** What stands in the field, where it is no name. */
  written?: string
  fault?: NameFault | ChoiceFault
  isSaved?: boolean
}

/** What a reader shows of theirs, to look at and to change. */
export async function profileSettingsPageRoutes(app: FastifyInstance, { db }: WebOptions) {
  const accountOf = admitReaders(app, PATH)

  app.get(PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const choice = await getProfileChoice(db, accountId)
    const isSaved = parameterOf(request, 'saved') !== ''
    return show(request, reply, { accountId, choice, isSaved })
  })

  app.post(PATH, PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const written = fieldOf(request, 'name').trim()
    const read = written === '' ? { name: null } : readProfileName(written)
    const choice = { ...readChoice(request), name: 'fault' in read ? null : read.name }
    const fault = 'fault' in read ? read.fault : await saveProfileChoice(db, accountId, choice)
    if (fault) return show(request, reply, { accountId, choice, written, fault })
    return reply.redirect(`${PATH}?saved=1`, 303)
  })

  const show = (request: FastifyRequest, reply: FastifyReply, settings: Settings) =>
    sendCatalogPage(request, reply, settingsView(request.page, settings), {
      status: settings.fault === undefined ? 200 : 422,
    })
}

function readChoice(request: FastifyRequest): Omit<ProfileChoice, 'name'> {
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

function settingsView(context: PageContext, { accountId, choice, written, fault, isSaved }: Settings): View {
  const { messages, csrfField, origin } = context
  const { profilePage: words, library } = messages
  const address = profileAddress({ account_id: accountId, name: choice.name })
  const box = (name: string, text: string, isTicked: boolean) =>
    html`<p class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${isTicked && html` checked`}><label for="${name}">${text}</label></p>`
  return {
    title: words.settings,
    styles: ['collections.css'],
    head: { robots: 'noindex' },
    body: html`<div class="record"><h1>${words.settings}</h1>
<p class="ways"><a href="/library">${library.back}</a></p>
<div class="beside">
${isSaved && html`<div class="notice success" role="status"><p>${words.saved}</p></div>`}
<p class="lead">${words.lead}</p>
${
  fault === undefined &&
  (choice.is_shown
    ? html`<p class="profile-at">${words.nowAt} <a href="${address}">${origin}${address}</a></p>`
    : html`<p class="profile-at quiet">${words.notShown}</p>`)
}
</div>
<form method="post" action="${PATH}" class="record-form">${csrfField()}
${box('is_shown', words.shown, choice.is_shown)}
<fieldset><legend>${words.shownParts}</legend>${PROFILE_PARTS.map((part) => box(part, words.parts[part], choice[`shows_${part}`]))}</fieldset>
<div class="field"><label for="name">${words.name}</label>
<p class="hint" id="name-hint">${words.nameHint}</p>
<input id="name" name="name" value="${written ?? choice.name ?? ''}" maxlength="${2 * PROFILE_NAME_LENGTH.max}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="name-hint${fault !== undefined && ' name-error'}"${fault !== undefined && html` aria-invalid="true"`}>
${fault !== undefined && html`<p class="fault" id="name-error">${words.faults[fault]}</p>`}</div>
${box('may_be_found', words.mayBeFound, choice.may_be_found)}
<div class="actions"><button>${words.save}</button></div>
</form></div>`,
  }
}
