/**
 * Converts a VNDB description to plain text, without markup, spoilers and the credit of its source (`[From [url=…]a
 * page[/url]]`).
 *
 * @param bbcode description with markup. Links keep their text but lose their URL, which may be relative to VNDB
 * (`[url=/p102]`)
 */
export function plainText(bbcode: string | null): string {
  return (bbcode ?? '')
    .replaceAll(/\[spoiler\].*?(?:\[\/spoiler\]|$)/gis, '')
    .replaceAll(/\[\/?(?:url(?:=[^\][]*)?|b|i|u|s|raw|quote|code)\]/gi, '')
    .replaceAll(/\[(?:\w+ (?:and )?){0,4}from\b[^\][]*\]/gi, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
