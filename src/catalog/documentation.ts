import { Type, type TSchema } from 'typebox'
import { operation } from '../http/document/operation.ts'
import { successResponse } from '../http/document/responses.ts'
import type { ApiError } from '../http/wire/errors.ts'
import { PageQuery } from '../http/wire/paging.ts'
import { merged, notFound } from '../http/wire/refusals.ts'
import { Envelope, Id } from '../http/wire/schemas.ts'

/**
 * A successful answer: the envelope with an example, and the headers that come with it.
 *
 * @param told.kept whether a client may keep it, by its ETag
 */
export function okResponse(
  data: TSchema,
  told: { summary: string; example: unknown; list?: boolean; kept?: boolean },
) {
  const { summary: description, example, list: isList = false, kept: cacheable = true } = told
  return successResponse(200, Envelope(data), { description, example, isList, cacheable })
}

type Others = {
  validated: boolean
  /** What is said of parameters that are wrong. */
  faults?: Record<string, ApiError>
  /** What the route asks for. */
  scope?: string
  /** Whether its path names an entry. */
  named?: boolean
  /** Whether a client may keep the answer, by its ETag. */
  kept?: boolean
}

/** Every other answer of a catalog route; each refusal with what it really says. */
export function otherResponses(others: Others): object {
  const { validated, scope = 'catalog:read', named = true, kept: cacheable = true, faults } = others
  const { response } = operation({
    tag: '',
    operationId: '',
    summary: '',
    access: 'catalog',
    scope,
    ...(named && { params: Type.Object({ id: Id }) }),
    ...(validated && { querystring: faults ? Type.Object({}) : PageQuery }),
    ...(faults && { faults }),
    success: {},
    cacheable,
    missing: { notFound: notFound(), merged: merged(42) },
  })
  return response ?? {}
}
