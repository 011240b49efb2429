import type { PageContext } from '../../pages/page-context.ts'
import { REMARK_DETAILS, REMARK_PARTS } from '../../pages/messages/refusal-details-imports.ts'
import { explainDetail } from '../../pages/messages/refusal-details.ts'
import { recordKindText } from './entry-kind.ts'

/**
 * What an import remarked, in the language of whoever looks.
 *
 * @returns undefined where it is to be shown as it is kept, in English
 */
export function explainRemark(context: Pick<PageContext, 'language' | 'messages'>, remark: string) {
  const { language } = context
  if (language === 'en') return undefined
  return explainDetail(language, REMARK_DETAILS, remark, (values) =>
    values.map((value) => explainDetail(language, REMARK_PARTS, value) ?? recordKindText(context, value)),
  )
}
