import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type en from '../../i18n/locales/en/provider-refusals.json'

export type ProviderRefusal = Coded<keyof typeof en>

const render = catalogue<keyof typeof en>('provider-refusals')

/** Returns the message in English, as apps receive it. */
export const providerRefusalMessage = (refusal: ProviderRefusal): string => render('en', refusal)

/** Library error whose reason is identified by its code. */
type CodedError = Error & { readonly refusal?: ProviderRefusal }

export const codedError = <Failure extends Error>(
  make: (message: string) => Failure,
  refusal: ProviderRefusal,
): Failure & CodedError => Object.assign(make(providerRefusalMessage(refusal)), { refusal })

/** @returns undefined for errors that the library raised itself */
export const refusalOf = (error: CodedError): ProviderRefusal | undefined => error.refusal
