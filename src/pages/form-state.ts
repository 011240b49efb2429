import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { jsonFieldOf, fieldOf } from './form-field.ts'
import { html, type Html } from './html.ts'
import type { Messages } from './messages/en.ts'

const LOADED = '_loaded'

/** Values of a form by field, as the server stores them. */
export type FormValues = Record<string, unknown>

/** Records what a form showed when the page was loaded: a digest of each value, since a review may take half of a form's bytes. */
export const loadedField = (values: FormValues): Html =>
  hidden(
    JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digest(value)]))),
  )

/** Repeats the record of the form that was sent, on the page that refuses it. */
export const sentLoadedField = (request: FastifyRequest): Html => hidden(fieldOf(request, LOADED))

const hidden = (text: string): Html => html`<input type="hidden" name="${LOADED}" value="${text}">`

const digest = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 12)

/** The values a form would overwrite were changed elsewhere after the page was loaded. */
export class FormConflict extends Error {
  override name = 'FormConflict'
  /** Values the form shows next: the sender's changes over the stored values. */
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
 * Returns the fields that the sender of a form changed; all others keep their current stored value. Without a record of what
 * the form showed, every field it sends counts as changed.
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
  // as: `Object.keys` loses the key types
  const names = Object.keys(sent) as (string & keyof Values)[]
  const changed = names.filter((name) => !loaded || loaded.get(name) !== digest(sent[name]))
  const conflicting = changed.filter((name) => {
    const now = digest(stored[name])
    return loaded && now !== loaded.get(name) && now !== digest(sent[name])
  })
  const changes = Object.fromEntries(changed.map((name) => [name, sent[name]]))
  if (conflicting.length > 0) throw new FormConflict({ ...stored, ...changes }, { ...stored }, conflicting)
  return changes as Partial<Values> // as: fields of `sent`
}

function loadedDigests(request: FastifyRequest): Map<string, unknown> | undefined {
  const loaded = jsonFieldOf(request, LOADED)
  return typeof loaded === 'object' && loaded !== null ? new Map(Object.entries(loaded)) : undefined
}

/**
 * Says that a form was not saved, and what is stored in its place.
 *
 * @param describe label and value of a field, in the reader's language
 */
export const conflictNotice = (
  { forms: words }: Messages,
  { fields, stored }: FormConflict,
  describe: (name: string, value: unknown) => { label: string; value: string },
): Html =>
  html`<div class="notice error" role="alert"><p>${words.conflict}</p><dl class="conflict">${fields.map(
    (name) => {
      const { label, value } = describe(name, stored[name])
      return html`<div><dt>${label}</dt><dd>${value === '' ? words.empty : value}</dd></div>`
    },
  )}</dl></div>`
