/**
 * Markup that shows a refusal, in the order of preference, and what makes the element focusable. User text cannot contain it: the
 * template escapes quotes. A hidden notice, which a script may show later, has more attributes and does not match.
 */
const TARGETS = [
  [' class="notice error" role="alert">', ' tabindex="-1"'],
  [' aria-invalid="true"', ''],
  [' class="fault"', ' tabindex="-1"'],
] as const

/**
 * Gives the focus of a page to its error summary, or else to its first faulty field. Works without a script.
 *
 * @returns undefined if the page shows no refusal
 */
export function focusRefusal(page: string): string | undefined {
  const [target, focusable] = TARGETS.find(([markup]) => page.includes(markup)) ?? []
  if (target === undefined) return undefined
  // Browsers focus the first element that asks for it.
  const calm = page.replaceAll(' autofocus=""', '')
  const at = calm.indexOf(target)
  return `${calm.slice(0, at)}${focusable} autofocus=""${calm.slice(at)}`
}
