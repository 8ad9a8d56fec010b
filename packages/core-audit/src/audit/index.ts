export { type AuditCommandOptions, runAuditCommand } from './audit-cli.ts'
export { auditExitCodes } from './audit-command.ts'
export { readAuditRetentionYears } from './export/retention-config.ts'
export { type AuditRange, auditEventsBetween, firstEventIdAt } from './queries/audit-events-between.ts'
export {
  type AuditEventCounts,
  type CountAuditEvents,
  countAuditEvents,
} from './queries/count-audit-events.ts'
export type { AuditAnchor } from './seal/anchor.ts'
export {
  type AuditSealingConfig,
  auditSealingDefaults,
  readAuditSealingConfig,
} from './seal/config.ts'
export { idAt } from './seal/event-ids.ts'
export { createHorizon, type Horizon } from './seal/horizon.ts'
export { type AuditSealingOptions, createAuditSealing } from './seal/sealing.ts'
