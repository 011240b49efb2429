/**
 * Tag name at the end of a selector, such as `input` in `form[data-find] input[type=search]`;
 * otherwise an empty string.
 */
type TagOf<S extends string> = S extends `${infer One}, ${infer Others}`
  ? TagOf<One> | TagOf<Others>
  : S extends `${string} ${infer Last}`
    ? TagOf<Last>
    : S extends `${infer Tag}${'[' | ':' | '.'}${string}`
      ? TagOf<Tag>
      : S

type ElementOf<S extends string> =
  TagOf<S> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagOf<S>] : HTMLElement

interface Document {
  /**
   * Null on pages without the element. For an element on every page of the script, use `document.body`.
   */
  querySelector<S extends string>(selector: S): ElementOf<S> | null
  querySelectorAll<S extends string>(selector: S): NodeListOf<ElementOf<S>>
}

interface Element {
  /**
   * Not null, since the view renders an element with its parts. Test the result for optional parts.
   */
  querySelector<S extends string>(selector: S): ElementOf<S>
  querySelectorAll<S extends string>(selector: S): NodeListOf<ElementOf<S>>
  closest<S extends string>(selector: S): ElementOf<S> | null
}

/** Attributes that the views set on every element that a script reads them from. */
interface DOMStringMap {
  client: string
  codes: string
  copied: string
  copy: string
  count: string
  done: string
  find: string
  issuer: string
  method: string
  moved: string
  name: string
  none: string
  order: string
  own: string
  ready: string
  redirect: string
  selected: string
  show: string
  signIn: string
  target: string
  text: string
  viewer: string
  word: string
  words: string
}

/** Forms have no files, so URLSearchParams accepts their data. */
interface FormData {
  // oxlint-disable-next-line typescript/no-explicit-any -- the methods are properties too
  [field: string]: any
}

interface Window {
  SimpleWebAuthnBrowser: typeof import('@simplewebauthn/browser')
}
