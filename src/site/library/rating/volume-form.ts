import type { WorkKind } from '../../../catalog/kinds.ts'
import type { Database } from '../../../db/database.ts'
import { hiddenFields } from '../../../ui/forms/forms.ts'
import { loadedField } from '../../../ui/forms/form-state.ts'
import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { RatingKey } from '../../../ratings/own/queries.ts'
import { hasVolumes, type ProgressFields } from '../../../ratings/progress/fields.ts'
import { findVolumeTotals, findWorkProgress } from '../../../ratings/progress/queries.ts'
import type { Status } from '../../../ratings/fields.ts'
import { ratingPath } from './quick-rating.ts'

/** Fields of the progress that have a button to add one. */
export const RAISED_FIELDS = ['volumes_read', 'chapters_read'] as const
export type RaisedField = (typeof RAISED_FIELDS)[number]

export type VolumeFormData = {
  kind: WorkKind
  id: number
  read: Pick<ProgressFields, RaisedField>
  /** Number of the work's volumes in the catalog. */
  total: number | undefined
  rating: { status: Status | null; rate: number | null } | undefined
  /** Path to return to. */
  back: string
}

/** Loads the forms that add a volume or a chapter to the viewer's progress. Undefined for games. */
export async function loadVolumeForm(
  db: Database,
  context: PageContext,
  key: RatingKey,
  { rating, back }: Pick<VolumeFormData, 'rating' | 'back'>,
): Promise<Html | undefined> {
  const { kind, workId: id } = key
  if (!hasVolumes(kind)) return undefined
  const [read, totals] = await Promise.all([findWorkProgress(db, key), findVolumeTotals(db, [id])])
  return volumeForm(context, { kind, id, read, total: totals.get(id), rating, back })
}

/**
 * Renders what the viewer has read, with a form that adds a volume, or that finishes the work after the last one.
 * Manga are published by chapter, so they also get a button for chapters, as do novels whose chapters the viewer counts.
 */
function volumeForm(
  { messages, csrfField }: PageContext,
  { kind, id, read, total, rating, back }: VolumeFormData,
): Html {
  const { progress: texts } = messages.library
  const path = ratingPath(kind, id)
  const hasAll = total !== undefined && read.volumes_read >= total
  const finish =
    hasAll &&
    rating?.status !== 'COMPLETED' &&
    html`<form method="post" action="${path}/mark">${csrfField()}${hiddenFields({ back, status: 'COMPLETED' })}${loadedField({ status: rating?.status ?? null })}<span>${texts.allRead}</span> <button class="secondary">${texts.finish}</button></form>`
  const add = (field: RaisedField, label: string) =>
    html`<form method="post" action="${path}/volume">${csrfField()}${hiddenFields({ back, field, from: String(read[field]) })}<button class="secondary">${label}</button></form>`
  return html`<div class="own-mark cluster"><span class="quiet">${volumesRead(messages, read.volumes_read, total)}</span>${!hasAll && add('volumes_read', texts.addVolume)}${finish}</div>${
    (kind === 'manga' || read.chapters_read > 0) &&
    html`<div class="own-mark cluster"><span class="quiet">${texts.chapters({ read: read.chapters_read })}</span>${add('chapters_read', texts.addChapter)}</div>`
  }`
}

/** Returns the number of volumes read, with the total unless it is unknown or smaller. */
export const volumesRead = (
  { library: { progress: texts } }: Messages,
  read: number,
  total = 0,
): string =>
  total < read || total === 0 ? texts.volumes({ read }) : texts.volumesOf({ read, total })
