import { DumpError } from '../dump-error.ts'

/** Maximum number of members. VNDB's dump, the largest, has about a hundred. */
const MAX_FILES = 1000

/**
 * Members of an archive, keyed by path. Members are never extracted, so a path cannot do harm. A path that leads
 * outside is rejected anyway, because dumps have no such paths.
 */
export class ArchiveMembers {
  readonly files = new Map<string, { size: number }>()
  readonly #archive: string
  readonly #spellings = new Map<string, string>()

  constructor(archive: string) {
    this.#archive = archive
  }

  /**
   * Adds the next member.
   *
   * @returns its path without `./`
   * @throws {DumpError} if the path leads outside, already exists or differs from another only in case, or if there
   * are too many members
   */
  add(member: string, size: number): string {
    const name = member.replace(/^(?:\.\/)+/, '')
    if (/^\/|\\|^[A-Za-z]:/.test(name) || name.split('/').includes('..'))
      throw new DumpError(
        `${this.#archive} has a member ${JSON.stringify(member)} that leads outside of the archive.`,
      )
    if (this.files.has(name)) throw new DumpError(`${this.#archive} has the member ${name} twice.`)
    const other = this.#spellings.get(name.toLowerCase())
    if (other !== undefined)
      throw new DumpError(
        `${this.#archive} has the members ${other} and ${name}, which differ only in case.`,
      )
    this.#spellings.set(name.toLowerCase(), name)
    if (this.files.size === MAX_FILES)
      throw new DumpError(`${this.#archive} has more than ${MAX_FILES} files. Dumps have fewer.`)
    this.files.set(name, { size })
    return name
  }
}
