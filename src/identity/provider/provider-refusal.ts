import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import type en from '../../i18n/locales/en/provider-refusals.json'

/** Why the provider refuses a request by a rule of ours. */
export type ProviderRefusal = Coded<keyof typeof en>

const render = catalogue<keyof typeof en>('provider-refusals')

/** The sentence for programs. */
export const providerRefusalMessage = (refusal: ProviderRefusal): string => render('en', refusal)

/** An error of the library whose reason is known by its code. */
type CodedError = Error & { readonly refusal?: ProviderRefusal }

/** Makes an error of the library for a rule of ours. */
export const codedError = <Failure extends Error>(
  make: (message: string) => Failure,
  refusal: ProviderRefusal,
): Failure & CodedError => Object.assign(make(providerRefusalMessage(refusal)), { refusal })

/** @returns undefined for an error that the library itself has raised */
export const refusalOf = (error: CodedError): ProviderRefusal | undefined => error.refusal
