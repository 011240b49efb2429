import { catalogue, type Coded } from '../../i18n/catalogue.ts'
import en from '../../i18n/locales/en/provider-refusals.json' with { type: 'json' }

/** Why the provider refuses a request by a rule of ours. */
export type ProviderRefusal = Coded<keyof typeof en>

const render = catalogue({ en })

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
