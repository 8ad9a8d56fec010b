export { type AuditCommandOptions, runAuditCommand } from './audit-cli.ts'
export { auditExitCodes } from './audit-command.ts'
export type { AuditAnchor } from './seal/anchor.ts'
export {
  type AuditSealingConfig,
  auditSealingDefaults,
  readAuditSealingConfig,
} from './seal/config.ts'
export { type AuditSealingOptions, createAuditSealing } from './seal/sealing.ts'
