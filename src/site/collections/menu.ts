import { KINDS } from '../../catalog/kinds.ts'
import { listCollectionsContaining } from '../../collections/items/item-queries.ts'
import { listCollections } from '../../collections/queries.ts'
import type { Database } from '../../db/database.ts'
import { loadedField } from '../../ui/forms/form-state.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { WorkKey } from '../../collections/path-params.ts'
import { collectionName } from './collection-name.ts'

const menuPath = ({ kind, id }: WorkKey) => `/library/collections/of/${KINDS[kind].path}/${id}`

export type Menu = {
  work: WorkKey
  collections: readonly { id: number; name: string; is_private: boolean; is_default: boolean }[]
  containing: readonly { id: number }[]
  back: string
  /** Hidden field of a restored form that records what the form showed when it was loaded. */
  loaded?: Html
  newName?: string
}

/** Renders a checkbox for each collection of the user, and a field for a new one. */
export function collectionMenu(
  { messages, csrfField }: PageContext,
  { work, collections, containing, back, loaded, newName = '' }: Menu,
): Html {
  const { collectionPage: texts } = messages
  const checked = new Set(containing.map(({ id }) => id))
  const key = `${work.kind}-${work.id}`
  const stored = loadedField(Object.fromEntries(collections.map(({ id }) => [id, checked.has(id)])))
  return html`<form class="collection-menu panel" method="post" action="${menuPath(work)}">${csrfField()}${hiddenFields({ back })}${loaded ?? stored}
<ul class="plain-list">${collections.map(
    ({ id, is_private: isPrivate, ...named }) =>
      html`<li class="check"><input type="hidden" name="known" value="${id}"><input type="checkbox" id="in-${id}" name="in" value="${id}"${checked.has(id) && html` checked`}><label for="in-${id}">${collectionName(messages, named)}${isPrivate && html` <span class="tag">${texts.isPrivate}</span>`}</label></li>`,
  )}</ul>
<div class="field"><label for="new-${key}">${texts.newOne}</label><input id="new-${key}" name="new" value="${newName}" maxlength="510" autocomplete="off"></div>
<button class="secondary">${texts.save}</button></form>`
}

/** Renders the menu collapsed, for a work's page. */
export async function foldedMenu(
  db: Database,
  context: PageContext,
  accountId: number,
  work: WorkKey,
  back: string,
): Promise<Html> {
  const [{ collections }, containing] = await Promise.all([
    listCollections(db, accountId, undefined),
    listCollectionsContaining(db, accountId, work),
  ])
  const { collectionPage: texts } = context.messages
  const amount = containing.length > 0 && html` <span class="amount">${containing.length}</span>`
  return html`<details class="drop menu-of-collections"><summary>${texts.menu}${amount}</summary>${collectionMenu(context, { work, collections, containing, back })}</details>`
}
