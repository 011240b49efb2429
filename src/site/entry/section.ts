import { html, type Html, type Part } from '../../ui/html.ts'

/** A part of an entry's page under a heading; nothing when it is empty. */
export const section = (
  heading: string,
  body: Part,
  { more, id }: { more?: { href: string; text: string } | undefined; id?: string } = {},
): Html =>
  html`<section class="part"${id !== undefined && html` id="${id}"`}><div class="shelf-head cluster"><h2>${heading}</h2>${more && html`<p><a href="${more.href}">${more.text}</a></p>`}</div>
${body}
</section>`
