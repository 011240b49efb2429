const SECRET = /mkf_[^/]*/g

/** Returns the path of a URL for the log. Omits the query and secrets in the path, which must not be logged. */
export function loggedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  const decoded = decodePath(path)
  return decoded.includes('mkf_') ? decoded.replaceAll(SECRET, ':secret') : path
}

/** Decodes a path as the router does; returns it unchanged if it is malformed. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
