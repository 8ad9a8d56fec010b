import { connectionFailureText } from '../database/connection-failure.ts'
import { databaseErrorCode } from '../database/database-errors.ts'
import { isKitError } from '../errors.ts'
import { describeError } from '../http/describe-error.ts'
import { summarizeFailure } from '../outbox/failure.ts'

/**
 * Describes why a command of an operator failed. Returns the message of our own error, and the change for likely mistakes: a database
 * that cannot be used, has no migrations, or grants too few rights, a lock of another transaction, or a file that cannot be used.
 * For other errors, it returns one line for the error and for each of its causes, without driver messages, because they can contain
 * values, and without stack frames of dependencies.
 */
export function describeCommandFailure(error: unknown): readonly string[] {
  // First, because a lost connection can be its cause: only the error of the command states what is left unfinished.
  if (isKitError(error) && error.code !== 'service.unavailable') return [error.detail]
  const connection = connectionFailureText(error)
  if (connection !== undefined) return [connection]
  if (databaseErrorCode(error) === '55P03') return [lockFailure]
  if (!isKitError(error)) return fileFailure(error) ?? describeCauses(error)
  return ['The database could not be queried.', ...describeCauses(error.cause)]
}

function describeCauses(error: unknown): readonly string[] {
  const code = databaseErrorCode(error) ?? ''
  const change = Object.hasOwn(changes, code) ? changes[code] : undefined
  const lines: string[] = []
  for (let at: unknown = describeError(error); typeof at === 'object' && at !== null; ) {
    const failure = at as Readonly<Record<string, unknown>>
    lines.push(summarizeFailure({ ...failure, frames: framesOfHost(failure['frames']) }))
    at = failure['cause']
  }
  return change === undefined ? lines : [...lines, change]
}

const lockFailure =
  'Another transaction holds a lock that the command needs (55P03). Run the command again after its end.'

/** Describes an error of a file or folder that the operator named; `undefined` for other errors. */
function fileFailure(error: unknown): readonly string[] | undefined {
  const { code, path, syscall } = Object(error) as Readonly<Record<string, unknown>>
  return typeof path === 'string' && typeof syscall === 'string'
    ? [`${path} cannot be used (${code}).`]
    : undefined
}

const missing = 'Its tables are missing or of another release: run the migrations first.'

/** The changes for SQLSTATEs of statements that name a missing table or right. */
const changes: Readonly<Record<string, string>> = {
  '42501':
    'Use a role with the rights of the host in DATABASE_URL, or run the grants of the database guide for this role.',
  '3F000': missing,
  '42P01': missing,
  '42703': missing,
  '42883': missing,
}

const framesOfHost = (frames: unknown): readonly unknown[] =>
  Array.isArray(frames) ? frames.filter((frame) => !/\/node_modules\/|\(node:/.test(String(frame))) : []
