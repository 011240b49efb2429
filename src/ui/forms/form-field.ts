import type { FastifyRequest } from 'fastify'

/** A field of the form that was sent; of several the first, and empty when there is none. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  return textOf(body, name)
}

/** A parameter of the query, likewise. */
export function parameterOf({ query }: FastifyRequest, name: string): string {
  return textOf(query, name)
}

function textOf(values: unknown, name: string): string {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) return ''
  // as: it was looked for in the line above
  const value = (values as Record<string, unknown>)[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

/** A field that a script has filled with JSON; undefined when it is not JSON. */
export function jsonFieldOf(request: FastifyRequest, name: string): unknown {
  try {
    return JSON.parse(fieldOf(request, name))
  } catch {
    return undefined
  }
}
