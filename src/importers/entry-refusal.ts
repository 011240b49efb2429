import { catalogue, type Coded } from '../i18n/catalogue.ts'
import type { Language } from '../i18n/languages.ts'
import type en from '../i18n/locales/en/entry-refusals.json'

/** Why entries cannot become one, or two again, or a field cannot be set. Kinds are as columns name them. */
export type EntryRefusal = Coded<keyof typeof en>

const render = catalogue<keyof typeof en>('entry-refusals')

/** @param kindName what a kind of entries is called */
export function entryRefusalText(
  language: Language,
  { code, params = {} }: EntryRefusal,
  kindName: (kind: string) => string = (kind) => kind.replace('_', ' '),
): string {
  const named = Object.entries(params).map(([name, value]) => [
    name,
    name === 'kind' || name === 'otherKind' ? kindName(String(value)) : value,
  ])
  return render(language, { code, params: Object.fromEntries(named) as typeof params })
}
