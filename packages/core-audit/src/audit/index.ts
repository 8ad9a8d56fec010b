export { type AuditCommandOptions, runAuditCommand } from './audit-cli.ts'
export { auditExitCodes } from './audit-command.ts'
