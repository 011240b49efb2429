import { isCatalogEmpty } from '../../browse/public-entries-queries.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'

/** Keeps the file name on one line: broken after a hyphen, it reads as two words. */
const IMPORT_COMMAND = html`npx --no-install mokuroku import vndb <span class="unbroken">vndb-db-latest.tar.zst</span>`

/**
 * Renders the message of an unfiltered empty list, with the operator's next step if the whole catalog is empty.
 */
export async function emptyListNotice(db: Reads, { browse: texts }: Messages): Promise<Html> {
  const isEmpty = await isCatalogEmpty(db)
  return html`<div class="empty"><p>${texts.nothingYet}</p>${
    isEmpty &&
    html`<p class="quiet">${texts.operatorsStep}</p><p><code>${IMPORT_COMMAND}</code></p>`
  }</div>`
}
