import { posix } from 'node:path'
import type { Finding } from '../finding.ts'
import { isPackageSource, type Repository } from './repository.ts'

/**
 * Finds names that packages export without a docstring. It checks the names that another file of the package exports again,
 * as every `index.ts` does.
 */
export function docstringFindings({ files }: Repository): Finding[] {
  const sources = files.filter(isPackageSource)
  const exported = new Set(
    sources.flatMap(({ path, facts }) =>
      facts.reexports.map(({ specifier, name }) => `${posix.join(posix.dirname(path), specifier)} ${name}`),
    ),
  )
  return sources.flatMap(({ path, facts }) =>
    facts.undocumented
      .filter(({ name }) => exported.has(`${path} ${name}`))
      .map(({ name, line }) => ({ path, line, message: `${name} is exported without a docstring` })),
  )
}
