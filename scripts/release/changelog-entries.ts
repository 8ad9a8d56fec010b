/** What changesets writes for a package that has no changes of its own. */
const unchanged = 'No changes in this release.'

/**
 * Joins the two entries of one version: changesets has put a new one above the one that was there. The text of the older
 * one comes first. A changelog with one entry of the version is returned as it is.
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
