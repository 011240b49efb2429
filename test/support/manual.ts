import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from './program.ts'

/** Returns the commands of a section of docs/operations.md, in the order of the page. */
export const readShellBlocks = (heading: string): string => readManualBlocks(heading, 'sh').join('')

/** Returns the blocks of a language in a section of docs/operations.md, in the order of the page. */
export function readManualBlocks(heading: string, language: 'sh' | 'ini'): string[] {
  const manual = readFileSync(join(CHECKOUT, 'docs/operations.md'), 'utf8')
  const start = manual.indexOf(`${heading}\n`)
  if (start === -1) throw new Error(`docs/operations.md has no section ${heading}`)
  const [section = ''] = manual.slice(start + heading.length).split(/^#{2,3} /m)
  return [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)].flatMap(([, name, lines = '']) =>
    name === language ? [lines] : [],
  )
}
