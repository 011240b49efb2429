const FOCUS = ' autofocus=""'

/**
 * Markup of each kind of error, with its focused variant, in order of preference. User text cannot contain such
 * markup, because the template escapes quotes. A hidden notice, which a script may show later, has more attributes and
 * does not match.
 */
const TARGETS = [
  [
    ' class="notice error" role="alert">',
    ` class="notice error" role="alert" tabindex="-1"${FOCUS}>`,
  ],
  [' aria-invalid="true"', ` aria-invalid="true"${FOCUS}`],
  [' class="fault"', ` class="fault" tabindex="-1"${FOCUS}`],
] as const

/**
 * Focuses a page's error summary, or else its first invalid field. Works without scripts.
 *
 * @returns undefined if the page shows no error
 */
export function focusError(page: string): string | undefined {
  const [target, focused] = TARGETS.find(([markup]) => page.includes(markup)) ?? []
  if (target === undefined || focused === undefined) return undefined
  // Browsers focus the first element with `autofocus`.
  return page.replaceAll(FOCUS, '').replace(target, focused)
}
