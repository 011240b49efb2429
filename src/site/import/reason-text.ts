import { catalogue } from '../../i18n/catalogue.ts'
import { namedFaultText } from '../../ui/value-fault-text.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { withDetail, type ImportReason } from '../../ratings/lists/formats/import-reason.ts'

const render = catalogue<ImportReason['code']>('list-import')

/** Explains in the viewer's language why a row, or a field of the file, was not imported. */
export function reasonText(
  { language, messages: { importPage } }: Pick<PageContext, 'language' | 'messages'>,
  reason: ImportReason,
): string {
  if (reason.code !== 'not_kept')
    return render(
      language,
      withDetail(reason, (fault) => namedFaultText(language, fault)),
    )
  const field = String(reason.params?.['field'])
  const name = new Map(Object.entries(importPage.droppedFields)).get(field) ?? field
  return render(language, { code: 'not_kept', params: { field: name } })
}
