import type { Database } from '../database/database.ts'
import type { Environment } from '../host/environment.ts'

/** The exit codes of the commands of the audit log. */
export const auditExitCodes = { done: 0, failed: 1, usage: 2, different: 3 } as const

/** The database, the configuration and the output of a command of the audit log. */
export interface AuditCommandContext {
  /** A pool of two connections, which the command line closes. */
  readonly database: Database
  /** For the keys of a command. A `ConfigurationError` becomes the exit code 78 with one line for each problem. */
  readonly environment: Environment
  /** The name of the operator's account on this machine. */
  readonly operator: string
  /** Writes a line to standard output: results. */
  readonly write: (line: string) => void
  /** Writes a line to standard error: progress and problems. */
  readonly writeError: (line: string) => void
}

/** One command of the audit log, such as `verify`. Add it to the table in `audit-cli.ts`. */
export interface AuditCommand {
  /** Its lines in the help: the arguments, and a description of each option. */
  readonly help: string
  /**
   * Parses the arguments after the name of the command. Returns its work, which resolves to one of {@link auditExitCodes},
   * or a text that describes the wrong usage.
   */
  parse(argv: readonly string[]): AuditWork | string
}

/** The work of a command. */
export type AuditWork = ((context: AuditCommandContext) => Promise<number>) | OfflineAuditWork

/** The work of a command that needs no database, and runs on any machine. */
export interface OfflineAuditWork {
  runOffline(context: Omit<AuditCommandContext, 'database'>): Promise<number>
}
