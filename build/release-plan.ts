import { gt, major, minor, prerelease, valid } from 'semver'

/** A release that is refused. The message says what to do. */
export class ReleaseError extends Error {
  override name = 'ReleaseError'
}

/** @throws {ReleaseError} unless the version is valid and higher than the last one */
export function checkVersion(version: string, last: string) {
  if (valid(version) !== version)
    throw new ReleaseError(`${version} is not a version. Use the form 1.2.3 or 1.2.3-rc.1.`)
  if (!gt(version, last))
    throw new ReleaseError(`${version} must be higher than the last version, ${last}.`)
}

/**
 * Moves the Unreleased section of the changelog to a new version.
 *
 * @returns the new text, and the content of the section
 * @throws {ReleaseError} if the section is missing or lists nothing
 */
export function cutChangelog(text: string, version: string, date: string) {
  const section = /^## Unreleased$(.*?)(?=^## |$(?![^]))/ms.exec(text)
  const notes = section?.[1]?.trim() ?? ''
  if (!/^- /m.test(notes))
    throw new ReleaseError(
      'CHANGELOG.md lists nothing under “## Unreleased”. Add what has changed.',
    )
  const heading = `## Unreleased\n\n## ${version} - ${date}`
  return { notes, text: text.replace(/^## Unreleased$/m, () => heading) }
}

/** Returns the tags of the container image. The major version 0 promises nothing, so it has no tag. */
export function imageTags(version: string): string[] {
  if (prerelease(version)) return [version]
  const [first, second] = [major(version), minor(version)]
  return [version, `${first}.${second}`, ...(first > 0 ? [String(first)] : []), 'latest']
}

/** Commands that publish a release, as text for a shell. */
export function publishCommands(
  version: string,
  { commit, folder }: Record<'commit' | 'folder', string>,
) {
  const tags = imageTags(version).map((tag) => `--tag "$REGISTRY/mokuroku:${tag}"`)
  return [
    `git push origin HEAD v${version}`,
    `npm publish ./${folder}/mokuroku-${version}.tgz${prerelease(version) ? ' --tag next' : ''}`,
    `docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=${version} --build-arg REVISION=${commit} ${tags.join(' ')} --push .`,
  ]
}
