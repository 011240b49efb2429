import { readFileSync } from 'node:fs'
import type { ServiceUrls } from '../site/options.ts'
import { guideFile, type GuidePageName } from './guide-pages.ts'
import type { ApiReference } from './reference/document.ts'
import { snippetsOf, type Flow, type SnippetApp } from './snippets.ts'

/** Replaces the placeholders of the guide with the URLs of this service. */
export const fillUrls =
  ({ baseUrl, apiUrl, authUrl }: ServiceUrls) =>
  (text: string) =>
    text.replaceAll('{base}', baseUrl).replaceAll('{api}', apiUrl).replaceAll('{auth}', authUrl)

/** Returns the apps of the guide's programs by flow. The reader replaces the client ID. */
export const guideApps = ({ baseUrl, authUrl }: ServiceUrls): Record<string, SnippetApp> => {
  const program: SnippetApp = { clientId: 'CLIENT_ID', clientType: 'public', baseUrl, authUrl }
  return {
    'client-credentials': { ...program, clientType: 'confidential' },
    code: program,
    device: program,
  }
}

/** Returns a page of the guide as Markdown that needs no other program: with its tables and programs. */
export function guideMarkdown(page: GuidePageName, urls: ServiceUrls, reference: ApiReference) {
  const apps = guideApps(urls)
  const text = readFileSync(guideFile(page, 'en'), 'utf8')
    .replaceAll(/ \{#[\w-]+\}$/gm, '')
    .replaceAll(/^::snippets ([\w-]+)$/gm, (line, flow: string) => {
      const app = apps[flow]
      // as: the name of a flow
      return app ? programs(app, flow as Flow) : line
    })
    .replaceAll(/^::errors$/gm, () => errorRows(reference))
    // Links within the guide lead to Markdown too.
    .replaceAll(/\]\(\/guide\/([\w-]+)(#[\w-]+)?\)/g, `](${urls.baseUrl}/guide/$1.md)`)
    .replaceAll('](/', `](${urls.baseUrl}/`)
  return fillUrls(urls)(text)
}

const programs = (app: SnippetApp, flow: Flow) =>
  snippetsOf(app, flow)
    .map(
      ({ file, text }) =>
        `\`${file}\`:\n\n\`\`\`${file.split('.').at(-1)}\n${text.trimEnd()}\n\`\`\``,
    )
    .join('\n\n')

function errorRows({ errors }: ApiReference) {
  const rows = errors.map(
    ({ status, code, message }) =>
      `| ${status} | \`${code}\` | ${message.replaceAll('|', '\\|')} |`,
  )
  return ['| Status | Code | Message |', '|---|---|---|', ...rows].join('\n')
}
