/** Returns the paths of the pages in the sitemap, such as `/tags`. */
export async function fetchSitemapPaths(url: string): Promise<string[]> {
  const text = await (
    await fetch(`${url}/sitemaps/pages.xml`, { headers: { accept: 'text/html' } })
  ).text()
  return [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, location = '']) => new URL(location).pathname,
  )
}
