import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { useIdentity } from '../../../accounts/credentials/upstream-identities.ts'
import { finishUpstreamSignUp } from '../../../accounts/mail/finish-links.ts'
import { isSameEmail } from '../../../accounts/email-address.ts'
import { requestSignUp } from '../../../accounts/mail/mail-requests.ts'
import { checkChosenEmail, checkName } from '../../../accounts/profile/profile-rules.ts'
import { findAccount, type Account } from '../../../accounts/queries.ts'
import { findOpenFlow, type OpenFlow } from '../../../accounts/sign-in/upstream-flows.ts'
import { originOf } from '../../../audit/origin-of.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'
import { fieldOf, queryParameterOf } from '../../../ui/forms/form-field.ts'
import { storeReturnPath } from '../../../ui/forms/return-path.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { linkGoneView, mailSentView } from '../../views/mail-links.ts'
import { notInvitedView } from '../../views/sign-up/sign-up.ts'
import {
  upstreamSignUpView,
  type UpstreamSignUpData,
} from '../../views/sign-up/upstream-sign-up.ts'
import { checkInvitation } from '../../../accounts/sign-up/admit-account.ts'
import { isUsableInvitation } from '../../../accounts/sign-up/invitation-queries.ts'
import { faultText } from '../fault-text.ts'
import { invitationIn } from '../invitation-in.ts'
import { PUBLIC_PAGE, type BrowserOptions } from '../options.ts'
import { RequestingBrowser } from '../requesting-browser.ts'
import { completeSignIn } from '../sign-in/complete-sign-in.ts'
import { continueSignIn } from '../sign-in/continue-sign-in.ts'
import { refuseWithRetryAfter, wholeMinutes } from '../sign-in/retry-after.ts'

/** Flow with the name of its provider. `invitation_id` is null if the invitation has become invalid. */
type Flow = OpenFlow & { label: string }

/** Valid fields of the form, and the fields as entered. */
type ConfirmedSignUp = {
  email: string
  name: string
  invitation: number | undefined
  entered: UpstreamSignUpData['entered']
}

type Shown = Partial<Pick<UpstreamSignUpData, 'entered' | 'errors' | 'error'>> & { status?: number }

/** `/sign-up/with`: creates an account for an identity that has none, or connects it to an existing account. */
export async function upstreamSignUpRoutes(app: FastifyInstance, options: BrowserOptions) {
  const { db, authUrl, upstream, wakeOutbox, localOutbox } = options
  const { signUp: mode, signUpMailDomains: mailDomains } = options
  if (upstream.length === 0) return
  const browser = new RequestingBrowser(authUrl)

  app.get('/sign-up/with', PUBLIC_PAGE, async (request, reply) => {
    const flow = await findFlow(request)
    return flow ? show(request, reply, flow) : showGone(request, reply)
  })

  app.post('/sign-up/with', PUBLIC_PAGE, async (request, reply) => {
    const flow = await findFlow(request)
    if (!flow) return showGone(request, reply)
    const token = queryParameterOf(request, 'flow')
    if (fieldOf(request, 'decision') === 'connect') {
      // The owner of the existing account signs in to it, and then confirms.
      storeReturnPath(reply, `/account/security/providers/confirm?flow=${token}`)
      return reply.redirect('/sign-in?again=yes', 303)
    }
    const { messages } = request.page
    if (mode === 'closed') return show(request, reply, flow, { status: 403 })
    const entered = {
      email: fieldOf(request, 'email'),
      name: fieldOf(request, 'name'),
      invitation: invitationIn(fieldOf(request, 'invitation')),
    }
    const { invitation, isRefused } =
      flow.invitation_id === null
        ? await checkInvitation(db, mode, entered.invitation)
        : { invitation: flow.invitation_id, isRefused: false }
    const email = checkChosenEmail(entered.email, mailDomains)
    const name = checkName(entered.name)
    if (email.fault || name.fault || isRefused) {
      const errors = {
        email: faultText(messages, email),
        name: faultText(messages, name),
        ...(isRefused && { invitation: messages.signUpFaults.invitation_invalid }),
      }
      return show(request, reply, flow, { status: 422, entered, errors })
    }
    const { identity } = flow
    const isVerified =
      identity.email !== null && identity.email_verified && isSameEmail(email.value, identity.email)
    if (!isVerified)
      return confirmByMail(request, reply, flow, {
        email: email.value,
        name: name.value,
        invitation,
        entered,
      })
    const signUp = {
      email: email.value,
      name: name.value,
      identity,
      invitation_id: invitation ?? null,
      flow: token,
    }
    const finished = await finishUpstreamSignUp(db, signUp, mode, {
      language: request.page.language,
      ...originOf(request),
    })
    if (finished?.outcome === 'not_invited')
      return sendPage(request, reply, notInvitedView(request.page))
    if (finished?.outcome === 'created') {
      // Administrators may have been notified.
      wakeOutbox()
      const account = await findAccount(db, finished.id)
      return account ? signIn(request, reply, flow, account, true) : reply.redirect('/sign-in', 303)
    }
    // The form was sent twice, or the identity was connected in another tab.
    const account = await useIdentity(db, identity)
    if (account && !account.banned_at) return signIn(request, reply, flow, account, false)
    if (!finished) return showGone(request, reply)
    const errors = { email: messages.signUpWith.emailTaken }
    return show(request, reply, flow, { status: 409, entered, errors })
  })

  async function confirmByMail(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: Flow,
    { entered, ...signUp }: ConfirmedSignUp,
  ) {
    const { language, messages } = request.page
    const result = await requestSignUp(db, {
      ...signUp,
      identity: flow.identity,
      language,
      browserHash: browser.remember(request, reply),
      interaction: flow.interaction,
      ...originOf(request),
    })
    if (result.outcome === 'wait') {
      const error = messages.mailSent.tooMany({ minutes: wholeMinutes(result.seconds) })
      const refused = refuseWithRetryAfter(reply, result.seconds, error)
      return show(request, reply, flow, { entered, ...refused })
    }
    wakeOutbox()
    const retryHref = `/sign-up/with?flow=${queryParameterOf(request, 'flow')}`
    const sent = { purpose: 'signUp', email: signUp.email, localOutbox, retryHref } as const
    return sendPage(request, reply, mailSentView(request.page, sent))
  }

  /** A new account has no second factor yet. */
  function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: OpenFlow,
    account: Account,
    isNew: boolean,
  ) {
    const signedIn = {
      account,
      methods: ['fed' as const],
      interaction: flow.interaction ?? undefined,
    }
    return isNew
      ? completeSignIn(options, request, reply, { ...signedIn, isNew })
      : continueSignIn(options, request, reply, signedIn)
  }

  /** Returns the flow if it began in this browser, at a provider that is still configured. */
  async function findFlow(request: FastifyRequest): Promise<Flow | undefined> {
    const token = browser.token(request)
    if (token === undefined) return undefined
    const flow = await findOpenFlow(db, queryParameterOf(request, 'flow'), hashToken(token))
    const client = upstream.find(({ provider }) => provider.name === flow?.provider)
    if (!flow || !client) return undefined
    const { invitation_id: id } = flow
    const isInvited = id !== null && (await isUsableInvitation(db, id))
    return { ...flow, invitation_id: isInvited ? id : null, label: client.provider.label }
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { identity, label, invitation_id }: Flow,
    { status = 200, ...shown }: Shown = {},
  ) {
    const data: UpstreamSignUpData = {
      token: queryParameterOf(request, 'flow'),
      provider: label,
      mode,
      isInvited: invitation_id !== null,
      mailDomains,
      entered: { email: identity.email ?? '', name: identity.name ?? '', invitation: '' },
      verifiedEmail: identity.email_verified ? identity.email : null,
      ...shown,
    }
    return sendPage(request, reply, { status, ...upstreamSignUpView(request.page, data) })
  }

  const showGone = (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(request, reply, linkGoneView(request.page, 'signUp'))
}
