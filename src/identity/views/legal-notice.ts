import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'

/** Says that a new account accepts the operator's terms and privacy policy. Undefined without either. */
export function legalNotice({
  messages,
  site,
}: Partial<Pick<PageContext, 'site'>> & Pick<PageContext, 'messages'>): Html | undefined {
  const { acceptance } = messages.legal
  const pages = site?.legalPages ?? []
  const [hasTerms, hasPrivacy] = [pages.includes('terms'), pages.includes('privacy')]
  if (!hasTerms && !hasPrivacy) return undefined
  // In a new tab, because the form would lose what was typed.
  const link = (path: string) => (text: Html) => html`<a href="${path}" target="_blank">${text}</a>`
  const links = { terms: link('/terms'), privacy: link('/privacy') }
  const text =
    hasTerms && hasPrivacy
      ? acceptance.both(links)
      : hasTerms
        ? acceptance.terms(links)
        : acceptance.privacy(links)
  return html`<p class="quiet">${text}</p>`
}

/** Links to the terms and the privacy policy of the site. */
export function legalLinks({
  messages,
  site,
}: Partial<Pick<PageContext, 'site'>> & Pick<PageContext, 'messages'>): Html | undefined {
  const pages = site?.legalPages.filter((name) => name !== 'imprint') ?? []
  if (pages.length === 0) return undefined
  return html`<p class="quiet">${site?.name}: ${pages.map((name, index) => html`${index > 0 && ' · '}<a href="/${name}" target="_blank">${messages.legal[name]}</a>`)}</p>`
}
