import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { jsonFieldOf, fieldOf } from './form-field.ts'
import { html, type Html } from '../html.ts'
import type { Messages } from '../messages.ts'

const LOADED = '_loaded'

/** Values of a form, keyed by field, as the server stores them. */
export type FormValues = Record<string, unknown>

/**
 * Renders a hidden field that records what a form showed when it was loaded. It holds digests,
 * because a review may take half of a form's bytes.
 */
export const loadedField = (values: FormValues): Html =>
  hidden(
    JSON.stringify(
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digest(value)])),
    ),
  )

/** Repeats the hidden field of the submitted form on the page that rejects it. */
export const sentLoadedField = (request: FastifyRequest): Html => hidden(fieldOf(request, LOADED))

const hidden = (text: string): Html => html`<input type="hidden" name="${LOADED}" value="${text}">`

const digest = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 12)

/** Thrown if the values that a form would overwrite have been changed elsewhere since the page was loaded. */
export class FormConflict extends Error {
  override name = 'FormConflict'
  /** Values to show in the form next: the stored values with the submitted changes applied. */
  readonly shown: FormValues
  readonly stored: FormValues
  /** Names of the fields that both sides changed. */
  readonly fields: readonly string[]

  constructor(shown: FormValues, stored: FormValues, fields: readonly string[]) {
    super(`Changed elsewhere: ${fields.join(', ')}`)
    this.shown = shown
    this.stored = stored
    this.fields = fields
  }
}

/**
 * Returns the fields that the sender of a form changed; all others keep their current stored value.
 * Without a record of what the form showed, every field it sends counts as changed.
 *
 * @param stored read in the transaction that writes, while the row is locked
 * @throws {FormConflict} if a field was also changed elsewhere, to another value
 */
export function changedFields<Values extends object>(
  request: FastifyRequest,
  sent: Values,
  stored: { [Name in keyof Values]: unknown },
): Partial<Values> {
  const loaded = loadedDigests(request)
  const isChanged = ([name, value]: [string, unknown]) =>
    !loaded || loaded.get(name) !== digest(value)
  const changes = Object.fromEntries(Object.entries(sent).filter(isChanged))
  rejectStale(request, changes, { ...stored })
  return changes as Partial<Values> // as: fields of `sent`
}

/**
 * Rejects a form whose stored values have changed since the page was loaded, even in fields that the sender left
 * alone. Use it for forms with a reason or with one field, where saving confirms what the form showed.
 *
 * @param stored read in the transaction that writes, while the row is locked
 * @throws {FormConflict} unless each value is already stored, or is still what the form showed
 */
export function rejectStale(request: FastifyRequest, sent: FormValues, stored: FormValues): void {
  const loaded = loadedDigests(request)
  if (!loaded) return
  const conflicting = Object.keys(sent).filter((name) => {
    const now = digest(stored[name])
    return now !== loaded.get(name) && now !== digest(sent[name])
  })
  if (conflicting.length > 0) throw new FormConflict({ ...stored, ...sent }, stored, conflicting)
}

function loadedDigests(request: FastifyRequest): Map<string, unknown> | undefined {
  const loaded = jsonFieldOf(request, LOADED)
  return typeof loaded === 'object' && loaded !== null ? new Map(Object.entries(loaded)) : undefined
}

/** Resolves to the conflict instead of rejecting with it, for a page that displays it. */
export const conflictIn = <Result>(work: Promise<Result>): Promise<Result | FormConflict> =>
  work.catch((error: unknown) => {
    if (error instanceof FormConflict) return error
    throw error
  })

/**
 * Explains that a form was not saved, and shows the stored values.
 *
 * @param describe returns the label and value of a field in the viewer's language
 * @param text what happened and what to do next
 */
export const conflictNotice = (
  { forms: texts }: Messages,
  { fields, stored }: FormConflict,
  describe: (name: string, value: unknown) => { label: string; value: string },
  text = texts.conflict,
): Html =>
  html`<div class="notice error" role="alert"><p>${text}</p><dl class="conflict">${fields.map(
    (name) => {
      const { label, value } = describe(name, stored[name])
      return html`<div><dt>${label}</dt><dd>${value === '' ? texts.empty : value}</dd></div>`
    },
  )}</dl></div>`
