import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { hiddenFields } from '../../../ui/forms/forms.ts'
import { loadedField } from '../../../ui/forms/form-state.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { RatingKey } from '../../../ratings/own/queries.ts'
import { hasVolumes } from '../../../ratings/progress/fields.ts'
import { findWorkProgress, findVolumeTotals } from '../../../ratings/progress/queries.ts'
import type { Status } from '../../../ratings/fields.ts'
import { ratingPath } from './quick-rating.ts'

export type VolumeFormData = {
  kind: WorkKind
  id: number
  read: number
  /** Number of the work's volumes in the catalog. */
  total: number | undefined
  rating: { status: Status | null; rate: number | null } | undefined
  /** Path to return to. */
  back: string
}

/** Loads the form that adds a volume to the viewer's progress. Undefined for games. */
export async function loadVolumeForm(
  db: Database,
  context: PageContext,
  key: RatingKey,
  { rating, back }: Pick<VolumeFormData, 'rating' | 'back'>,
): Promise<Html | undefined> {
  const { kind, workId: id } = key
  if (!hasVolumes(kind)) return undefined
  const [{ volumes_read: read }, totals] = await Promise.all([
    findWorkProgress(db, key),
    findVolumeTotals(db, [id]),
  ])
  return volumeForm(context, { kind, id, read, total: totals.get(id), rating, back })
}

/** Renders how many volumes the viewer has read, with a form that adds one, or that finishes the work after the last. */
function volumeForm(
  { messages, csrfField }: PageContext,
  { kind, id, read, total, rating, back }: VolumeFormData,
): Html {
  const { progress: texts } = messages.library
  const path = ratingPath(kind, id)
  const state = total === undefined ? texts.volumes({ read }) : texts.volumesOf({ read, total })
  const hasAll = total !== undefined && read >= total
  const finish =
    hasAll &&
    rating?.status !== 'COMPLETED' &&
    html`<form method="post" action="${path}/mark">${csrfField()}${hiddenFields({ back, status: 'COMPLETED' })}${loadedField({ status: rating?.status ?? null })}<span>${texts.allRead}</span> <button class="secondary">${texts.finish}</button></form>`
  const add =
    !hasAll &&
    html`<form method="post" action="${path}/volume">${csrfField()}${hiddenFields({ back, from: String(read) })}<button class="secondary">${texts.addVolume}</button></form>`
  return html`<div class="own-mark cluster"><span class="quiet">${state}</span>${add}${finish}</div>`
}
