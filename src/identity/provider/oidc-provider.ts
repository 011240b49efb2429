/**
 * Loads the library without its false warning about an unsupported runtime. The npm build of Node 26 does not name its
 * LTS line.
 */
const { warn } = console
console.warn = (...values: unknown[]) => {
  if (!String(values[0]).includes('Unsupported runtime')) warn(...values)
}
const { default: Provider, errors, interactionPolicy } = await import('oidc-provider')
console.warn = warn

export { errors, interactionPolicy, Provider }

export type LibraryProvider = InstanceType<typeof Provider>
