/**
 * How changesets writes a changelog: the sentence of each changeset, and nothing else. All packages have one version, so
 * a list of updated `@vertical-kit` packages would repeat it; a commit's hash says nothing to the person who upgrades.
 */

/** An item of the list, with the lines that follow the first one indented. */
export const getReleaseLine = async ({ summary }: { readonly summary: string }): Promise<string> =>
  `- ${summary.trim().replaceAll(/\n(?=.)/g, '\n  ')}`

export const getDependencyReleaseLine = async (): Promise<string> => ''
