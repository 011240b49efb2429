import type { FastifyRequest } from 'fastify'
import type { CollectionRow } from '../../collections/queries.ts'
import { freeTextRule, nameRule } from '../../collections/text-rules.ts'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { Messages } from '../../ui/messages.ts'

type Written = { name: string; description: string; is_private: boolean }

/** Submitted values of a collection, and the errors, keyed by field. */
export type CollectionForm = {
  written?: Written
  faults?: { name?: string; description?: string } | undefined
  /** Record of what the form showed when it was loaded. */
  loaded?: Html
}

type ReadForm =
  | { change: Written; written: Written; faults?: undefined }
  | { written: Written; faults: { name?: string; description?: string } }

export const collectionFormValues = ({
  name,
  description,
  is_private,
}: CollectionRow): Written => ({ name, description: description ?? '', is_private })

export function readCollectionForm(request: FastifyRequest): ReadForm {
  const { faults: texts } = request.page.messages.collectionPage
  const written = {
    name: fieldOf(request, 'name'),
    description: fieldOf(request, 'description').trim(),
    is_private: fieldOf(request, 'is_private') === 'yes',
  }
  const name = nameRule(written.name)
  const description = freeTextRule(written.description)
  if ('text' in name && 'text' in description)
    return { written, change: { ...written, name: name.text, description: description.text } }
  return {
    written,
    faults: {
      ...('fault' in name && { name: texts.name }),
      ...('fault' in description && { description: texts.text }),
    },
  }
}

/**
 * Returns the message for a change that the database rejected.
 *
 * @throws any other error
 */
export function refusalText(
  error: unknown,
  request: FastifyRequest,
  fault: keyof Messages['collectionPage']['faults'],
): string {
  if (error instanceof ApiError && error.code === 'COMMON_VALIDATION_FAILED')
    return request.page.messages.collectionPage.faults[fault]
  throw error
}

/** Renders the fields for name, description and visibility. */
export function collectionFields(
  { messages }: PageContext,
  { name, description, is_private: isPrivate }: Written,
  faults: CollectionForm['faults'] = {},
): Html {
  const { collectionPage: texts } = messages
  const mark = (field: 'name' | 'description') =>
    faults[field] !== undefined && html` aria-invalid="true" aria-describedby="${field}-error"`
  const fault = (field: 'name' | 'description') =>
    faults[field] !== undefined && html`<p class="fault" id="${field}-error">${faults[field]}</p>`
  return html`<div class="field"><label for="name">${texts.name}</label><input id="name" name="name" value="${name}" required maxlength="510" autocomplete="off"${mark('name')}>${fault('name')}</div>
<div class="field"><label for="description">${texts.about}</label><textarea id="description" name="description" rows="3" maxlength="4000"${mark('description')}>
${description}</textarea>${fault('description')}</div>
<p class="check"><input type="checkbox" id="is_private" name="is_private" value="yes"${isPrivate && html` checked`}><label for="is_private">${texts.private}</label></p>`
}
