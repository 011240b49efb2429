/** Returns an error and its causes, outermost first. */
export function causesOf(error: unknown): NodeJS.ErrnoException[] {
  const chain: NodeJS.ErrnoException[] = []
  for (let next = error; next instanceof Error; next = next.cause) chain.push(next)
  return chain
}
