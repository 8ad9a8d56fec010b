/** The text that changesets writes for a package without changes. */
const unchanged = 'No changes in this release.'

/**
 * Joins two entries of the same version: changesets adds a new entry above the existing entry. The joined entry begins
 * with the existing text. If the version has only one entry, returns the changelog unchanged.
 */
export function joinEntries(changelog: string, version: string): string {
  const heading = `## ${version}\n`
  const [title = '', added, ...rest] = changelog.split(heading)
  if (added === undefined || rest.length === 0) return changelog
  const [present = '', ...releases] = rest.join(heading).split(/^(?=## )/m)
  const additions = added.trim() === unchanged ? [] : [added.trim()]
  const entry = [heading.trim(), present.trim(), ...additions].join('\n\n')
  return `${title}${[entry, ...releases.map((release) => release.trim())].join('\n\n')}\n`
}
