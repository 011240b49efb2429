import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type en from '../../i18n/locales/en/api-list-import.json'

/** Why a row of an imported list, or a part of it, is not recorded. */
export type ListReason = Coded<keyof typeof en>

const render = catalogue<keyof typeof en>('api-list-import')

/** The sentence for programs. */
export const listReasonMessage = (reason: ListReason): string => render('en', reason)
