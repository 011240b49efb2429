import { notFound } from '../../http/wire/errors/refusals.ts'
import { html, type Html } from '../../ui/html.ts'
import { PageError } from '../../ui/page/errors.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** Leads guests through the sign-in. */
const PREFERENCES = '/account/preferences'

/** Says how many adult works a page leaves out, and how to show them. Renders nothing if it leaves out none. */
export const hiddenWorksNotice = (context: PageContext, amount: number): Html | false =>
  amount > 0 && notice(context, context.messages.hiddenWorks.count({ amount }))

/** Says that adult works are hidden, for empty results that may be empty for this reason. */
export const mayBeHiddenNotice = (context: PageContext): Html | false =>
  !context.viewer?.nsfw && notice(context, context.messages.hiddenWorks.mayBe)

/** Says that only the title and cover of an adult work are shown, and how to see the rest. */
export const blurredWorkNotice = (context: PageContext): Html =>
  notice(context, context.messages.hiddenWorks.blurred)

const notice = (context: PageContext, text: string): Html =>
  html`<p class="quiet">${text} <a href="${PREFERENCES}">${context.viewer ? context.messages.hiddenWorks.change : context.messages.hiddenWorks.signIn}</a></p>`

/** Returns the error for a page that is missing or hidden, which is the same in both cases. */
export function missingOrHidden(context: PageContext): Error {
  const { viewer, messages } = context
  if (viewer?.nsfw) return notFound()
  const { notFoundTitle, missingOrHidden: text } = messages.error
  const link = {
    href: PREFERENCES,
    text: viewer ? messages.preferences.title : messages.layout.account,
  }
  return new PageError(404, notFoundTitle, text, link)
}
