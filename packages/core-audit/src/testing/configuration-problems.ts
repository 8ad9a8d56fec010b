import { ConfigurationError } from '../host/environment.ts'

/**
 * Returns the problems of a configuration, one line each, as an operator sees them. The list is empty if `read` succeeds.
 * `read` calls `readConfiguration`; errors other than a `ConfigurationError` are rethrown.
 */
export function configurationProblems(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
  return []
}
