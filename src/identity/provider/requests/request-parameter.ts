/** A parameter of a request, as the provider keeps them; empty when it is missing or, doubled, no text. */
export function requestParameter(parameters: object | undefined, name: string): string {
  const value: unknown = parameters && Reflect.get(parameters, name)
  return typeof value === 'string' ? value : ''
}

/** The scopes it asks for. */
export const requestedScopes = (parameters: object | undefined): string[] =>
  requestParameter(parameters, 'scope').split(' ').filter(Boolean)
