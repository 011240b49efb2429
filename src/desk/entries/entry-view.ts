import type { EntryKind } from '../../catalog/kinds.ts'
import { FIELD_SCHEMAS } from '../../curation/edit/field-schemas.ts'
import type { FieldState } from '../../curation/edit/edit-field.ts'
import type { ShownEntry, ShownField } from '../../curation/edit/show-entry.ts'
import { loadedField } from '../../ui/forms/form-state.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { entryPath } from '../../site/components/entry-path.ts'
import {
  actionForm,
  expandableActionForm,
  deskTable,
  deskView,
  factList,
  type ActionFormOptions,
} from '../desk-view.ts'
import { kindOptions, kindText, matchRuleText } from './entry-kind.ts'

export type EntryData = {
  shown: ShownEntry | undefined
  kind: EntryKind | undefined
  /** ID as entered. */
  id: number | undefined
  notice: Html | undefined
  /** Edit as entered, if it was rejected because of a conflict or an invalid value. */
  tried?:
    | {
        act: 'set' | 'unset'
        field: string
        value: string
        note: string
        fault?: string
        loaded?: Html
      }
    | undefined
}

/** Returns the state of a field that a form records. Two editors may agree on a value but not on its source. */
export const fieldState = ({ value, locked }: FieldState) => ({ value, locked })

/** Renders the fields of an entry with their sources, and the form to override one. */
export function entryFieldsView(
  context: PageContext,
  { shown, kind, id, notice, tried }: EntryData,
): View {
  const { desk: texts } = context.messages
  const { columns } = texts
  return deskView(context, {
    part: 'entries',
    lead: texts.entries.lead,
    notice,
    body: html`<form method="get" action="/desk/entries" class="desk-find cluster"><label>${columns.kind}<select name="kind">${kindOptions(context, kind)}</select></label><label>${columns.id}<input name="id" value="${id ?? ''}" inputmode="numeric" maxlength="15" autocomplete="off"></label><button class="secondary">${texts.show}</button></form>
${shown && entryFields(context, shown, tried)}`,
  })
}

function entryFields(
  context: PageContext,
  { kind, id, records, merged, fields }: ShownEntry,
  typedForm: EntryData['tried'],
): Html {
  const { desk: texts } = context.messages
  const { columns } = texts
  const unsetAction = ({ field, ...state }: ShownField): ActionFormOptions => ({
    action: '/desk/entries/unset',
    button: texts.entries.unset,
    fields: { kind, id: String(id), field },
    controls: loadedField({ [field]: fieldState(state) }),
  })
  const refused =
    typedForm?.act === 'unset' && fields.find(({ field }) => field === typedForm.field)
  // Placed above the table, because the table is long.
  const refusedPart = html`<div class="acts tiles">${
    refused
      ? actionForm(context, { ...unsetAction(refused), title: refused.field, note: typedForm.note })
      : setForm(context, { kind, id, fields, tried: typedForm })
  }</div>`
  const stated = fields.filter(({ statements, from }) => statements.length > 0 || from.length > 0)
  return html`${typedForm && refusedPart}${factList(context, [
    [columns.kind, html`<a href="${entryPath(kind, id)}">${kindText(context, kind)} ${id}</a>`],
    [
      texts.entries.records,
      records.map(({ source, external_id: external }) => `${source} ${external}`).join(', '),
    ],
    [
      texts.parts.merges,
      merged.map((merge) => `${merge.id} (${matchRuleText(context, merge.rule)})`).join(', '),
    ],
  ])}
${deskTable(
  context,
  [
    { text: columns.field },
    { text: columns.from },
    { text: columns.value, isLong: true },
    { text: columns.others, isLong: true },
  ],
  stated.map((shown) => [
    html`<code>${shown.field}</code>`,
    shown.locked
      ? html`<strong>${texts.entries.byHand}</strong> ${shown !== refused && expandableActionForm(context, unsetAction(shown))}`
      : shown.from.join(', '),
    shortened(shown.value),
    shown.statements
      .filter(({ value: other }) => JSON.stringify(other) !== JSON.stringify(shown.value))
      .map(({ source, value: other }) => `${source}: ${shortened(other)}`)
      .join('; '),
  ]),
)}
${(!typedForm || refused) && html`<h2>${texts.entries.set}</h2><div class="acts tiles">${setForm(context, { kind, id, fields })}</div>`}`
}

type SetForm = Pick<ShownEntry, 'kind' | 'id' | 'fields'> & Pick<EntryData, 'tried'>

function setForm(context: PageContext, { kind, id, fields, tried }: SetForm): Html {
  const { columns, entries: texts } = context.messages.desk
  const options = Object.keys(FIELD_SCHEMAS[kind])
    .toSorted()
    .map((field) => html`<option${field === tried?.field && html` selected`}>${field}</option>`)
  const fault = tried?.fault
  return actionForm(context, {
    action: '/desk/entries/set',
    button: texts.set,
    fields: { kind, id: String(id) },
    note: tried?.note,
    controls: html`${tried?.loaded ?? loadedField(Object.fromEntries(fields.map((shown) => [shown.field, fieldState(shown)])))}<div class="field"><label for="set-field">${columns.field}</label><select id="set-field" name="field">${options}</select></div><div class="field"><label for="set-value">${texts.value}</label><textarea id="set-value" name="value" rows="3"${fault !== undefined && html` aria-invalid="true" aria-describedby="set-value-fault"`}>${tried && html`\n${tried.value}`}</textarea>${fault !== undefined && html`<p class="fault" id="set-value-fault">${fault}</p>`}</div>`,
  })
}

/** Shortens a value for a table cell. */
export function shortened(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 160 ? `${text.slice(0, 159)}…` : text
}
