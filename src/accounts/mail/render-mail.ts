import { html, type Html } from '../../ui/html.ts'
import type { Language } from '../../i18n/languages.ts'
import { SOFTWARE_NAME } from '../../ui/software-name.ts'

/** A paragraph, a link with its button text, or a list of named facts. */
export type MailPart =
  | { text: string }
  | { link: string; button: string }
  | { facts: [name: string, value: string][] }

/** Styles are inline because email clients drop the head. Nothing external is loaded. */
const STYLES = {
  page: 'margin:0;padding:24px 12px;background:#f6f4f0;color:#24211d;font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-size:16px;line-height:1.6',
  sheet:
    'max-width:32rem;margin:0 auto;padding:28px 24px;background:#fffefc;border:1px solid #dedad2;border-radius:12px',
  brand: 'margin:0 0 20px;color:#5c5750;font-size:14px',
  title: 'margin:0 0 16px;font-size:20px;line-height:1.3;text-wrap:balance;word-break:auto-phrase',
  text: 'margin:0 0 16px',
  button:
    'display:inline-block;padding:10px 18px;border-radius:10px;text-decoration:none;font-weight:600',
  link: 'margin:0 0 16px;color:#5c5750;font-size:13px;overflow-wrap:anywhere',
  fact: 'padding:4px 16px 4px 0;color:#5c5750;text-align:left;vertical-align:top;font-weight:400;white-space:nowrap',
  value: 'padding:4px 0;vertical-align:top;overflow-wrap:anywhere;word-break:break-word',
}

export type MailContent = { subject: string; text: string; html: string }

/** Name and colors of the site in emails. */
export type MailBrand = { name: string; button: { background: string; text: string } }

export const DEFAULT_BRAND: MailBrand = {
  name: SOFTWARE_NAME,
  button: { background: '#2b4c80', text: '#ffffff' },
}

export const renderMail = (
  brand: MailBrand,
  language: Language,
  subject: string,
  parts: MailPart[],
): MailContent => ({
  subject: `${brand.name}: ${subject}`,
  text: `${parts.map(asText).join('\n\n')}\n`,
  html: letterHtml(brand, language, subject, parts),
})

function asText(part: MailPart): string {
  if ('text' in part) return part.text
  if ('link' in part) return part.link
  return part.facts.map(([name, value]) => `${name}: ${value}`).join('\n')
}

/** Renders the HTML part: a single card. */
function letterHtml(
  brand: MailBrand,
  language: Language,
  subject: string,
  parts: MailPart[],
): string {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>
<body style="${STYLES.page}"><div style="${STYLES.sheet}">
<p style="${STYLES.brand}">${brand.name}${brand.name === SOFTWARE_NAME && html` <span lang="ja">目録</span>`}</p>
<h1 style="${STYLES.title}">${subject}</h1>
${parts.map((part) => partHtml(brand, part))}</div></body></html>
`.toString()
}

function partHtml({ button }: MailBrand, part: MailPart): Html {
  if ('text' in part) return html`<p style="${STYLES.text}">${part.text}</p>\n`
  // The URL is also shown as text, so that recipients see where the button leads.
  if ('link' in part)
    return html`<p style="${STYLES.text}"><a href="${part.link}" style="${STYLES.button};background:${button.background};color:${button.text}">${part.button}</a></p>
<p style="${STYLES.link}">${part.link}</p>\n`
  return html`<table style="margin:0 0 16px;border-collapse:collapse">${part.facts.map(
    ([name, value]) =>
      html`<tr><th scope="row" style="${STYLES.fact}">${name}</th><td style="${STYLES.value}">${value}</td></tr>`,
  )}</table>\n`
}
