import type { Fault } from '../http/wire/fault.ts'
import { catalogue } from '../i18n/catalogue.ts'
import type { Language } from '../i18n/languages.ts'
import rulesEn from '../i18n/locales/en/app-rules.json' with { type: 'json' }
import en from '../i18n/locales/en/faults.json' with { type: 'json' }
import rulesJa from '../i18n/locales/ja/app-rules.json' with { type: 'json' }
import ja from '../i18n/locales/ja/faults.json' with { type: 'json' }
import rulesZhHans from '../i18n/locales/zh-Hans/app-rules.json' with { type: 'json' }
import zhHans from '../i18n/locales/zh-Hans/faults.json' with { type: 'json' }

const TEXTS = {
  en: { ...rulesEn, ...en },
  ja: { ...rulesJa, ...ja },
  'zh-Hans': { ...rulesZhHans, ...zhHans },
}

/** What people read when a value is wrong. Of the rules of apps, programs get other words (`http/wire/fault.ts`). */
export const valueFaultText = catalogue(TEXTS)

export const isFaultCode = (code: string): code is Fault['code'] => Object.hasOwn(TEXTS.en, code)

/** The same after the name of its field. */
export function namedFaultText(
  language: Language,
  { field, ...fault }: Fault & { readonly field?: string },
): string {
  const text = valueFaultText(language, fault)
  return field === undefined
    ? text
    : valueFaultText(language, { code: 'field', params: { field, fault: text } })
}
