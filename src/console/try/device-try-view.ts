import type { App } from '../../apps/queries.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { appFrame, sectionPath } from '../app-frame.ts'
import { stepList, type HttpStep } from './http-step.ts'
import { secretField } from './try-view.ts'

/** Meaning of the last response for the device. */
type PollOutcome = {
  text: string
  /** True if further polling cannot change the outcome. */
  isFinal: boolean
  isRefused?: boolean
}

/** Renders a device that waits for its user: the code, the poll form, and each request with its response. */
export function deviceTryView(
  context: PageContext,
  app: App,
  data: {
    steps: HttpStep[]
    userCode: string
    /** URL at which the user enters the code. */
    verificationUri: string
    outcome?: PollOutcome | undefined
  },
): View {
  const { console: texts } = context.messages
  const { steps, userCode, verificationUri, outcome } = data
  const isFinal = outcome?.isFinal ?? false
  return appFrame(context, app, {
    section: 'try',
    body: html`<h2>${texts.tryDevice}</h2>
<section class="card device-try"${isFinal && html` hidden`}><h3>${texts.typeCode}</h3>
<p class="user-code"><code>${userCode}</code></p><p>${texts.typeCodeText}</p>
<p><a class="button secondary" href="${verificationUri}?${new URLSearchParams({ user_code: userCode }).toString()}" target="_blank" rel="noopener">${texts.openCodePage}</a></p>
<p class="quiet"><code>${verificationUri}</code></p></section>
${pollForm(context, app, outcome)}
${stepList(context, steps)}`,
  })
}

function pollForm(context: PageContext, app: App, outcome: PollOutcome | undefined): Html {
  const { console: texts } = context.messages
  const path = sectionPath(app, 'try')
  const kind = outcome?.isRefused === true ? ' error' : outcome?.isFinal === true ? ' success' : ''
  const state = html`<div class="poll-state" role="status">${outcome && html`<div class="notice${kind}"><p>${outcome.text}</p></div>`}</div>`
  if (outcome?.isFinal === true)
    return html`<div class="poll">${state}<p><a class="button" href="${path}">${texts.tryAgain}</a></p></div>`
  return html`<div class="poll">${state}<form method="post" action="${path}/device/poll" class="card" data-poll>${context.csrfField()}
${app.client_type === 'confidential' && secretField(context, 'poll')}
<p class="quiet">${texts.pollHint}</p>
<div class="actions side-by-side"><button>${texts.ask}</button><button class="secondary" name="times" value="2">${texts.pollTwice}</button></div></form></div>`
}
