import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type { RequestFault } from '../../http/wire/errors/fault.ts'
import type { Language } from '../../i18n/languages.ts'
import type en from '../../i18n/locales/en/entry-refusals.json'
import { valueFaultText } from '../../ui/value-fault-text.ts'

/**
 * Reason why entries cannot be merged or separated, or a field cannot be set. Parameters name kinds as the database
 * does.
 */
export type EntryRefusal = Coded<keyof typeof en> & { readonly fault?: RequestFault }

const render = catalogue<keyof typeof en>('entry-refusals')

/** @param kindName returns the display name of a kind of entry */
export function entryRefusalText(
  language: Language,
  { code, params = {}, fault }: EntryRefusal,
  kindName: (kind: string) => string = (kind) => kind.replace('_', ' '),
): string {
  const named = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      name === 'kind' || name === 'otherKind' ? kindName(String(value)) : value,
    ]),
  )
  return render(language, {
    code,
    params: {
      ...named,
      ...(fault && { field: fault.field, fault: valueFaultText(language, fault) }),
    },
  })
}

/** A merge, split or manual value that breaks a rule. The message is in English. */
export class EntryRefusedError extends Error {
  override name = 'EntryRefusedError'
  readonly refusal: EntryRefusal

  constructor(refusal: EntryRefusal) {
    super(entryRefusalText('en', refusal))
    this.refusal = refusal
  }
}
