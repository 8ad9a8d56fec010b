import type { Finding } from '../finding.ts'
import { contractFindings } from './contract-rule.ts'
import { docstringFindings } from './docstring-rule.ts'
import { importFindings } from './import-rules.ts'
import { layoutFindings } from './layout-rules.ts'
import { placeFindings } from './place-rules.ts'
import { describeRepository } from './repository.ts'
import type { SourceTree } from './source-tree.ts'

/** Finds all violations of the floor plan in a tree of files. */
export function roomsFindings(tree: SourceTree): Finding[] {
  const repository = describeRepository(tree)
  const unreadable = repository.files.flatMap(({ path, facts }) =>
    facts.syntaxErrors.map((error) => ({ path, message: `does not parse: ${error}` })),
  )
  return [
    ...unreadable,
    ...layoutFindings(repository),
    ...importFindings(repository),
    ...contractFindings(repository),
    ...placeFindings(repository),
    ...docstringFindings(repository),
  ]
}
