import { html, type Html, type Part } from '../../ui/html.ts'

/** Renders a section of an entry's page with its heading. */
export const partSection = (
  heading: string,
  body: Part,
  { more }: { more?: { href: string; text: string } | undefined } = {},
): Html =>
  html`<section class="part"><div class="shelf-head cluster"><h2>${heading}</h2>${more && html`<p><a href="${more.href}">${more.text}</a></p>`}</div>
${body}
</section>`
