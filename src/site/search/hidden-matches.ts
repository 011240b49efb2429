import type { Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { hiddenWorksNotice, mayBeHiddenNotice } from '../adult-works/hidden-works.ts'

/** Says for an empty result how many adult works match, or that some may. */
export const hiddenMatches = (context: PageContext, amount: number): Html | false =>
  hiddenWorksNotice(context, amount) || mayBeHiddenNotice(context)
