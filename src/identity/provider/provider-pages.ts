import type { ErrorOut, KoaContextWithOIDC, Provider as ProviderType } from 'oidc-provider'
import { chooseLanguage } from '../../i18n/languages.ts'
import { findPreferenceRedirect } from '../../ui/forms/preference-links.ts'
import { LANGUAGE_COOKIE } from '../../ui/page/page-context.ts'
import { messagesIn } from '../../ui/messages.ts'
import type { Messages } from '../../ui/messages.ts'
import { unavailable } from '../../http/wire/errors/refusals.ts'
import { announcementFor } from '../../ui/announcement.ts'
import { PAGE_HEADERS, renderPage, type View } from '../../ui/page/page.ts'
import { themeFromCookies } from '../../ui/page/theme.ts'
import type { Clock } from '../../ui/format-time.ts'
import { readDeviceRequest } from './requests/device-request.ts'
import { DEVICE_DONE, ENDPOINTS } from './endpoints.ts'
import { errors } from './oidc-provider.ts'
import { pageFrameOf, siteOf, type PageFrame } from './page-frame.ts'
import { requestParameter } from './requests/request-parameter.ts'
import { continueView } from '../views/continue.ts'
import { deviceCodeView, deviceConfirmView } from '../views/device.ts'
import { errorView } from '../../ui/page/error-view.ts'
import { authorizationErrorView } from '../views/error.ts'
import { signedOutView, signOutView } from '../views/sign-out.ts'

type Context = KoaContextWithOIDC
type Client = InstanceType<ProviderType['Client']>

/** Returns the pages that replace those of the library. */
export function providerPages() {
  return {
    /** Shows an error that cannot be redirected to an app (§7). */
    renderError(ctx: Context, out: ErrorOut, error: Error) {
      const view = (messages: Messages) =>
        authorizationErrorView({
          messages,
          title: messages.error.title,
          ...explain(out, { ctx, error, words: messages.error }),
        })
      // The database may be unavailable, so it is not queried for the viewer.
      return out.error === 'server_error' ? render(ctx, undefined, view) : show(ctx, view)
    },
    logoutSource(ctx: Context, form: string) {
      const appName = ctx.oidc.client?.clientName
      return show(ctx, (messages) =>
        signOutView({ messages, form: readForm(form), ...(appName !== undefined && { appName }) }),
      )
    },
    postLogoutSuccessSource(ctx: Context) {
      return show(ctx, (messages) => signedOutView({ messages }))
    },
    userCodeInputSource(ctx: Context, form: string, _out?: ErrorOut, error?: Error) {
      return show(ctx, (messages) =>
        deviceCodeView({
          messages,
          form: readForm(form),
          ...(error && outcomeOf(messages, error)),
        }),
      )
    },
    userCodeConfirmSource(
      ctx: Context,
      form: string,
      client: Client,
      info: object | undefined,
      userCode: string,
    ) {
      return show(ctx, (messages, clock) =>
        deviceConfirmView({
          messages,
          clock,
          request: readDeviceRequest(info),
          form: readForm(form),
          appName: client.clientName ?? client.clientId,
          userCode,
        }),
      )
    },
    deviceSuccessSource(ctx: Context) {
      // Redirects, because the current URL can be opened only once.
      redirect(ctx, DEVICE_DONE)
    },
    unavailable(ctx: Context) {
      ctx.remove('location')
      ctx.remove('content-security-policy')
      if (ctx.accepts('json', 'html') === 'html')
        render(ctx, undefined, (messages) =>
          errorView({
            messages,
            title: messages.error.unavailableTitle,
            text: messages.error.unavailable,
          }),
        )
      else ctx.body = { error: 'temporarily_unavailable', error_description: unavailable().message }
    },
    /**
     * Replaces the library's self-submitting forms, which use inline scripts, with a page that has our own script and
     * a button.
     *
     * @returns `undefined`, without a promise, for all other responses, which is nearly always the case
     */
    replaceAutomaticForms(ctx: Context) {
      if (typeof ctx.body !== 'string' || !ctx.body.includes('document.forms[0].submit()'))
        return undefined
      const form = readForm(ctx.body)
      ctx.remove('content-security-policy')
      return show(ctx, (messages) => continueView({ messages, form }))
    },
  }
}

type MakeView = (messages: Messages, clock: Clock) => View

/** Renders a page for the viewer, or follows a link that changes its language or theme. */
async function show(ctx: Context, view: MakeView) {
  const frame = await pageFrameOf(ctx.req)
  const url = `/oidc${ctx.originalUrl}`
  const choice = findPreferenceRedirect(ctx.method, url, frame?.site?.secure ?? false)
  if (!choice) return render(ctx, frame && { ...frame, path: pathOf(ctx, url) }, view)
  ctx.append('set-cookie', choice.cookies)
  redirect(ctx, choice.location)
}

function redirect(ctx: Context, location: string) {
  ctx.status = 303
  ctx.set({ location, 'cache-control': 'no-store' })
  ctx.body = ''
}

/** Returns the path and query for language links; undefined if the URL does not support GET. */
function pathOf({ method, oidc }: Context, url: string): string | undefined {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2)
  const endpoint = ENDPOINTS.find((each) => each.url === path)
  if (method === 'POST' && !endpoint?.methods.includes('GET')) return undefined
  // The links omit the ID token, which also identifies the app.
  const clientId = new URLSearchParams(query).has('id_token_hint')
    ? oidc?.client?.clientId
    : undefined
  return clientId === undefined ? url : `${url}&client_id=${encodeURIComponent(clientId)}`
}

function render(
  ctx: Context,
  frame: (PageFrame & { path?: string | undefined }) | undefined,
  view: MakeView,
) {
  const language = languageOf(ctx)
  const site = siteOf(ctx.req)
  const announcement = announcementFor(site, ctx.get('cookie'))
  const messages = messagesIn(language, site?.name)
  for (const [name, value] of Object.entries(PAGE_HEADERS)) ctx.set(name, value)
  const theme = themeFromCookies(ctx.get('cookie'))
  const clock = { language, timeZone: frame?.viewer?.timeZone }
  ctx.body = renderPage({
    language,
    messages,
    theme,
    site,
    announcement,
    ...frame,
    ...view(messages, clock),
  })
}

function languageOf(ctx: Context) {
  const uiLocales = ctx.oidc?.params?.['ui_locales']
  return chooseLanguage({
    ...(typeof uiLocales === 'string' && { uiLocales }),
    cookie: ctx.cookies.get(LANGUAGE_COOKIE) ?? '',
    acceptLanguage: ctx.get('accept-language'),
    fallback: siteOf(ctx.req)?.defaultLanguage,
  })
}

/** Reads the action and hidden fields of a form that the library rendered. */
function readForm(html: string) {
  const [, action = ''] = /<form[^>]* action="([^"]*)"/.exec(html) ?? []
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  const fields = Object.fromEntries(
    [...inputs].map(([, name = '', value = '']) => [name, unescape(value)]),
  )
  return { action: unescape(action), fields }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescape = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name] ?? '')

/** Prefix of a pushed request's URI (RFC 9126 §2.2). It is valid for a minute. */
const PUSHED = 'urn:ietf:params:oauth:request_uri:'

/** Explanations of errors for users, keyed by error code. The library's own messages are for developers. */
function explain(
  { error: code, error_description: description = '' }: ErrorOut,
  { ctx, error, words: texts }: { ctx: Context; error: Error; words: Messages['error'] },
) {
  const technical = description === '' ? code : `${code}: ${description}`
  const received = (name: string) => ({
    name,
    value: requestParameter(ctx.oidc?.params ?? ctx.query, name),
  })
  if (error instanceof errors.SessionNotFound) return { text: texts.expired }
  switch (code) {
    case 'invalid_redirect_uri':
      return { text: texts.invalidRedirectUri, received: received('redirect_uri') }
    case 'invalid_client':
      return { text: texts.unknownApp, received: received('client_id') }
    case 'server_error':
      return { text: texts.unexpected }
    case 'invalid_request_uri':
      return received('request_uri').value.startsWith(PUSHED)
        ? { text: texts.expired, technical }
        : { text: texts.badRequest, technical }
    default:
      return { text: texts.badRequest, technical }
  }
}

/** The library also shows this form after a wrong code or a refusal. */
const outcomeOf = ({ device }: Messages, { name }: Error) =>
  name === 'AbortedError' ? { notice: device.aborted } : { error: device.wrongCode }
