import { ConfigurationError } from '../host/environment.ts'

/**
 * The problems that reading a configuration ends with, one line each as an operator sees them; none when it succeeds.
 * `read` calls `readConfiguration`; what it throws besides a `ConfigurationError` is rethrown.
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
