/**
 * The changelog format for changesets. An entry contains only the sentence of each changeset. All packages share one
 * version, so a list of updated packages would only repeat this version. Commit hashes do not help the upgrading user.
 */

/** Returns a list item with the summary. All lines after the first are indented. */
export const getReleaseLine = async ({ summary }: { readonly summary: string }): Promise<string> =>
  `- ${summary.trim().replaceAll(/\n(?=.)/g, '\n  ')}`

export const getDependencyReleaseLine = async (): Promise<string> => ''
