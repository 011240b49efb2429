import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type en from '../../i18n/locales/en/provider-refusals.json'

/** Reason why one of our rules makes the provider refuse a request. */
export type ProviderRefusal = Coded<keyof typeof en>

const render = catalogue<keyof typeof en>('provider-refusals')

/** Returns the English message for programs. */
export const providerRefusalMessage = (refusal: ProviderRefusal): string => render('en', refusal)

/** Library error whose reason is identified by its code. */
type CodedError = Error & { readonly refusal?: ProviderRefusal }

/** Creates a library error for one of our rules. */
export const codedError = <Failure extends Error>(
  make: (message: string) => Failure,
  refusal: ProviderRefusal,
): Failure & CodedError => Object.assign(make(providerRefusalMessage(refusal)), { refusal })

/** @returns undefined for errors that the library raised itself */
export const refusalOf = (error: CodedError): ProviderRefusal | undefined => error.refusal
