import { catalogue } from '../i18n/catalogue.ts'
import type { Language } from '../i18n/languages.ts'
import type en from '../i18n/locales/en/doctor.json'
import type { CheckId, Finding } from './finding.ts'

const render = catalogue<keyof typeof en>('doctor')

/** Returns what is wrong and what to do, in a language. */
export function textOfFinding(
  language: Language,
  { code, params, why }: Finding,
): { problem: string; advice: string } {
  const values = {
    ...params,
    ...(why !== undefined && { why: render(language, { code: `why.${why}` }) }),
  }
  return {
    problem: render(language, { code, params: values }),
    advice: render(language, { code: `${code}.fix`, params: values }),
  }
}

export const titleOfCheck = (language: Language, id: CheckId): string =>
  render(language, { code: `check.${id}` })
