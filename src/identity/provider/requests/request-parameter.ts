/** Returns a parameter of a request as parsed by the provider; empty if it is missing or repeated. */
export function requestParameter(parameters: object | undefined, name: string): string {
  const value: unknown = parameters && Reflect.get(parameters, name)
  return typeof value === 'string' ? value : ''
}

export const requestedScopes = (parameters: object | undefined): string[] =>
  requestParameter(parameters, 'scope').split(' ').filter(Boolean)
