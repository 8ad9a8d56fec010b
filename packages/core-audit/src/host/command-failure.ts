import { isKitError } from '../errors.ts'
import { describeError } from '../http/describe-error.ts'
import { summarizeFailure } from '../outbox/failure.ts'

/**
 * Describes why a command of an operator failed, one line for each cause. Returns the message of our own error. For other
 * errors, it returns only the codes of the error and its causes, because driver messages can contain values.
 */
export function describeCommandFailure(error: unknown): readonly string[] {
  if (!isKitError(error)) return describeCauses(error)
  if (error.code !== 'service.unavailable') return [error.detail]
  return ['The database could not be queried.', ...describeCauses(error.cause)]
}

function describeCauses(error: unknown): readonly string[] {
  const lines: string[] = []
  for (let at: unknown = describeError(error); typeof at === 'object' && at !== null; ) {
    lines.push(describeCause(at as Readonly<Record<string, unknown>>))
    at = Reflect.get(at, 'cause')
  }
  return lines
}

/** Advice for likely mistakes of an operator: a wrong database, or a database without migrations. */
const knownFaults: Readonly<Record<string, string>> = {
  '3D000': 'The database does not exist.',
  '3F000': 'Its tables are missing: run the migrations first.',
  '42P01': 'Its tables are missing: run the migrations first.',
}

function describeCause(failure: Readonly<Record<string, unknown>>): string {
  const code = String(failure['code'])
  const known = Object.hasOwn(knownFaults, code) ? knownFaults[code] : undefined
  return known === undefined ? summarizeFailure(failure) : `${known} (${code})`
}
