import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import { LIST_SOURCES, type ListSource } from '../../ratings/lists/schemas.ts'
import type { FileFault } from './file-fault.ts'
import { IMPORT_PATH, stepPath, stepView } from './steps.ts'

export type StartData = {
  /** Source that was selected in the previous attempt. */
  source?: ListSource | undefined
  fault?: FileFault | undefined
  /** Import that was started but not completed. */
  unfinished?: { id: string; source: ListSource } | undefined
  /** Shown above the form. */
  notice?: string | undefined
}

/** Pages of each source where users can export their list. */
const EXPORT_LINKS: Partial<Record<ListSource, { href: string; text: string }>> = {
  vndb: { href: 'https://vndb.org/u/edit', text: 'vndb.org' },
  mal: {
    href: 'https://myanimelist.net/panel.php?go=export',
    text: 'myanimelist.net/panel.php?go=export',
  },
}

/** Renders the first step: the source, where to get the file, and the upload. */
export function startView(
  context: PageContext,
  { source, fault, unfinished, notice }: StartData,
): View {
  const { messages, csrfField } = context
  const { importPage: texts } = messages
  return stepView(context, {
    step: 0,
    heading: texts.title,
    body: html`<p class="lead">${texts.lead}</p>
${notice !== undefined && html`<div class="notice" role="status"><p>${notice}</p></div>`}
${unfinished && html`<div class="notice begun"><p>${texts.begun({ source: texts.sources[unfinished.source].name })}</p><div class="cluster"><a class="button" href="${stepPath(unfinished.id, 'works')}">${texts.resume}</a> <form method="post" action="${stepPath(unfinished.id, 'forget')}">${csrfField()}<button class="secondary">${texts.forget}</button></form></div></div>`}
${fault && html`<div id="file-error" class="notice error" role="alert"><p>${fault.text}</p>${fault.detail !== undefined && html`<p>${fault.detail}</p>`}</div>`}
<form method="post" action="${IMPORT_PATH}" enctype="multipart/form-data" class="import-start">
${csrfField()}
<fieldset class="sources tiles"><legend>${texts.where}</legend>
${LIST_SOURCES.map((name) => sourceChoice(context, name, name === source))}
</fieldset>
<div class="field file-drop"><label for="file">${texts.file}</label>
<p class="hint" id="file-hint">${texts.fileHint}</p>
<input type="file" id="file" name="file" required accept=".xml,.json,.gz,application/json,application/xml,text/xml,application/gzip" aria-describedby="file-hint${fault && ' file-error'}"${fault && html` aria-invalid="true"`}></div>
<div class="actions side-by-side"><button>${texts.read}</button></div>
</form>`,
  })
}

function sourceChoice({ messages }: PageContext, name: ListSource, isChosen: boolean): Html {
  const { sources } = messages.importPage
  const { name: title, how: instructions } = sources[name]
  const exportLink = EXPORT_LINKS[name]
  return html`<div class="option panel"><input type="radio" id="from-${name}" name="source" value="${name}" required aria-describedby="how-${name}"${isChosen && html` checked`}><label for="from-${name}"><strong>${title}</strong></label>
<p class="quiet" id="how-${name}">${instructions}${exportLink && html` <a href="${exportLink.href}" rel="external noopener">${exportLink.text}</a>`}${name === 'bangumi' && html` <code>https://api.bgm.tv/v0/users/NAME/collections?limit=50</code>`}</p></div>`
}
