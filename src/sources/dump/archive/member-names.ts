import { DumpError } from '../dump-error.ts'

/** More files than any dump has: the largest, VNDB's, has a hundred. */
const MAX_FILES = 1000

/**
 * The files of an archive as they are found, by their path inside.
 *
 * Nothing of an archive is written anywhere, so a path could lead nowhere; but no dump has one that tries.
 */
export class MemberNames {
  readonly files = new Map<string, { size: number }>()
  readonly #archive: string
  /** By their small letters. */
  readonly #spellings = new Map<string, string>()

  constructor(archive: string) {
    this.#archive = archive
  }

  /**
   * Takes the next member.
   *
   * @returns its path without `./`
   * @throws {DumpError} when it leads out of the archive, is there already, be it in other letters, or is one too many
   */
  add(member: string, size: number): string {
    const name = member.replace(/^(?:\.\/)+/, '')
    if (/^\/|\\|^[A-Za-z]:/.test(name) || name.split('/').includes('..'))
      throw new DumpError(
        `${this.#archive} has a member ${JSON.stringify(member)}, which leads out of it.`,
      )
    if (this.files.has(name)) throw new DumpError(`${this.#archive} has the member ${name} twice.`)
    const other = this.#spellings.get(name.toLowerCase())
    if (other !== undefined)
      throw new DumpError(
        `${this.#archive} has the members ${other} and ${name}, which are one on many systems.`,
      )
    this.#spellings.set(name.toLowerCase(), name)
    if (this.files.size === MAX_FILES)
      throw new DumpError(`${this.#archive} has more than ${MAX_FILES} files, as no dump does.`)
    this.files.set(name, { size })
    return name
  }
}
