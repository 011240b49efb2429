/**
 * The library, loaded without one false alarm: the npm build of Node 26 does not say which LTS line it is, and
 * oidc-provider takes that for an unsupported runtime, loudly, on every start.
 */
const { warn } = console
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('Unsupported runtime')) warn(...words)
}
const { default: Provider, errors, interactionPolicy } = await import('oidc-provider')
console.warn = warn

export { errors, interactionPolicy, Provider }

export type LibraryProvider = InstanceType<typeof Provider>
