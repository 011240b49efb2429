const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that XML forbids, even escaped, including lone surrogates. */
const FORBIDDEN_CHARACTERS = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes text for XML elements and attributes. */
export const escapeXml = (text: string): string =>
  text
    .replace(FORBIDDEN_CHARACTERS, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
